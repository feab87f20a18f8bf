# The dump with this number: the list of Orders has 40 more items in each dump, that of Views 30 more. In the
# first dump a local variable refers to each list too (kind "shared"), or another object has the list of
# Orders (kind "other").
BEGIN {
    print "a 2 app.exe " 1000 * dump
    print "t 1 App.Orders\nt 2 App.Views\nt 3 App.List\nt 4 App.Item\nt 5 App.Loader"
    first = dump == 1
    print "o 1 1 10" (first && kind == "other" ? "" : " 3")
    print "o 2 5 10" (first && kind == "other" ? " 3" : "")
    print list(3, 40, 4096)
    print "r 1 4 0\nr 2 4 0"
    if (kind == "shared") {
        print "o 4 2 10 5\n" list(5, 30, 8192) "\nr 4 4 0"
        if (first)
            print "r 3 1 0\nr 5 1 0"
    }
    print "c app.exe " 1000 * dump
}

function list(id, items, start,    i, head, rest) {
    head = sprintf("o %x 3 10", id)
    for (i = 0; i < items * dump; i++) {
        head = head sprintf(" %x", start + i)
        rest = rest sprintf("\no %x 4 64", start + i)
    }
    return head rest
}
