from learn_compact import check


def my_files_to_restore(reads, max_files, max_each, max_all):
    chosen, room = {}, max_all
    for path, tokens in reversed(reads):
        if len(chosen) == max_files or not room:
            break
        if path not in chosen:
            chosen[path] = min(tokens, max_each, room)
            room -= chosen[path]
    return chosen


check.files_to_restore(my_files_to_restore)
