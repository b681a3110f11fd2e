"""A profile as one HTML file: figures as SVG, tables, nothing from outside, every text escaped."""

from html import escape

from learn_compact.profile.replayed import NO_POLICY
from learn_compact.profile.tables import tables
from learn_compact.profile.text import NOTHING_LEFT, facts, title

STYLE = """body{font:15px/1.5 "DejaVu Sans",Verdana,sans-serif;color:#1A1A1A;background:#fff;max-width:900px;
margin:2em auto;padding:0 1em}
h1{font-size:1.4em;overflow-wrap:anywhere}h2{font-size:1.1em;margin-top:2.2em}table{border-collapse:collapse;
font-size:13px}caption{text-align:left;font-weight:bold;padding-bottom:.4em}td,th{border-bottom:1px solid #ddd;
vertical-align:top}td{overflow-wrap:anywhere}th{font-weight:normal;color:#595959}section{margin:2em 0;overflow-x:auto}
svg{max-width:100%;height:auto}p{max-width:70ch;overflow-wrap:anywhere}"""
# A page that may load nothing and run nothing, whatever a conversation says.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def html(profile, price=None):
    """The profile as the text of an HTML file; `price` is what a million input tokens cost in dollars."""
    pictures = "".join(f"<section>{bundle.html()}</section>" for bundle in figures(profile))
    paragraphs = "".join(f"<p>{escape(sentence)}</p>" for sentence in facts(profile))
    numbers = "".join(f"<section>{table.html()}</section>" for table in tables(profile, price))
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            f'<meta name="viewport" content="width=device-width"><title>{escape(title(profile))}</title>'
            f"<style>{STYLE}</style></head><body><main><h1>{escape(title(profile))}</h1><p>{NOTHING_LEFT}</p>{pictures}"
            f"{paragraphs}{numbers}</main></body></html>\n").encode("utf-8", "replace").decode()


def figures(profile):
    """How the context grew, and what each policy that changed something would have sent in its place, as `Bundle`s."""
    from learn_compact.show import growth  # late: text and JSON need no pictures

    if not profile.points:
        return
    highest = max(point.counted or point.total for point in profile.points)
    window = 200_000 if highest <= 200_000 else 1_000_000
    yield growth(profile.points, names=[profile.name], window=window)
    before = next(one for one in profile.replays if one.policy == NO_POLICY)
    for one in profile.replays:
        if one.sent != before.sent:
            yield growth(before.points, one.points, names=["no policy", one.policy], window=None)
