# The dump with this number: a list that has 40 more items in each dump. In the first dump a loader refers to
# it as well.
BEGIN {
    print "a 2 app.exe " 1000 * dump
    print "t 1 App.Main\nt 3 App.List\nt 4 App.Item\nt 5 App.Loader"
    items = ""
    for (i = 0; i < 40 * dump; i++)
        items = items sprintf(" %x", 4096 + i)
    print "o 1 1 10 3\no 3 3 10" items
    if (dump == 1)
        print "o 5 5 10" items "\nr 5 4 0"
    for (i = 0; i < 40 * dump; i++)
        printf "o %x 4 64\n", 4096 + i
    print "r 1 4 0\nc app.exe " 1000 * dump
}
