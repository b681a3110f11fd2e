"""A profile as one HTML file: pictures first, then a line for each finding, with its numbers folded away beneath it.

Nothing from outside, no script, every text escaped: what opens and closes are the browser's own `details`.
"""

from html import escape

from learn_compact.profile.sections import findings, origin, policies, size, title, trust
from learn_compact.profile.tables import policy_name
from learn_compact.profile.text import NOTHING_LEFT

STYLE = """:root{color-scheme:light dark;--ink:#1a1a1a;--faint:#595959;--paper:#fff;--rule:#d9d9d9;--hover:#f2f5f8}
@media(prefers-color-scheme:dark){:root{--ink:#ececec;--faint:#b0b0b0;--paper:#16181b;--rule:#3c4046;--hover:#22262b}}
body{font:16px/1.5 "DejaVu Sans",Verdana,sans-serif;color:var(--ink);background:var(--paper);max-width:900px;
margin:2em auto 4em;padding:0 1em}h1{font-size:1.5em;line-height:1.25;overflow-wrap:anywhere;margin:0}
h2{font-size:1.15em;margin:2em 0 .5em}header p{color:var(--faint);margin:.3em 0 1.2em}
@media print{details::details-content{content-visibility:visible;height:auto}}
figure{margin:0 0 1em;overflow-x:auto}figure>svg{display:block;border-radius:6px;min-width:640px}
p,summary{overflow-wrap:anywhere}section>p{padding:.55em .6em;margin:0}
summary{cursor:pointer;padding:.55em .6em}summary:hover{background:var(--hover)}
section>*+*{border-top:1px solid var(--rule)}
details>div{overflow-x:auto;padding:0 .6em 1em 1.6em}table{border-collapse:collapse;font-size:13px;
min-width:32em}caption{text-align:left;color:var(--faint);padding-bottom:.4em}td,th{border-bottom:1px solid var(--rule);
vertical-align:top}td{overflow-wrap:break-word}th{font-weight:normal;color:var(--faint)}
details div p{font-size:13px;color:var(--faint);max-width:75ch;white-space:pre-line}figcaption{font-size:13px}"""
# A page that may load nothing and run nothing, whatever a conversation says.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def html(profile, price=None):
    """The profile as the text of an HTML file; `price` is what a million input tokens cost in dollars."""
    grown, lived = figures(profile)
    about = f"{origin(profile)}: {size(profile)}. {NOTHING_LEFT}"
    body = (f"<header><h1>{escape(profile.name)}</h1><p>{escape(about)}</p></header>{_picture(grown)}"
            f"<h2>What stands out</h2>{_sections(findings(profile, price))}"
            f"<h2>What another policy would have done</h2>{_picture(lived)}{_sections([policies(profile, price)])}"
            f"<h2>How far to trust these figures</h2>{_sections(trust(profile))}")
    page = (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            f'<meta name="viewport" content="width=device-width"><title>{escape(title(profile))}</title>'
            f"<style>{STYLE}</style></head><body><main>{body}</main></body></html>\n")
    return page.encode("utf-8", "replace").decode()  # without lone surrogates


def figures(profile):
    """How the context grew, and how large each policy would have kept it, as `Bundle`s; None for what is not there."""
    from learn_compact.show import growth  # late: text and JSON need no pictures
    from learn_compact.show.lives import lives

    if not profile.points:
        return None, None
    grown = growth(profile.points, names=[profile.name], window=profile.window)
    nothing, *others = profile.replays
    if all(one.sent == nothing.sent for one in others):
        return grown, None
    return grown, lives({policy_name(one): one.points for one in profile.replays})


def _picture(bundle):
    return bundle.html() if bundle else ""


def _sections(sections):
    return f"<section>{''.join(map(_section, sections))}</section>"


def _section(section):
    if section.table is None:
        return f"<p>{escape(section.sentence)}</p>"
    return f"<details><summary>{escape(section.sentence)}</summary><div>{section.table.html()}</div></details>"
