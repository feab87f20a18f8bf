# The dump with this number: an application's list, which has 40 more items in each dump. In the dump
# `shared`, a static field refers to the list as well.
BEGIN {
    print "a 2 app.exe " 1000 * dump
    print "t 1 App.Main\nt 2 App.Service\nt 3 App.List\nt 4 App.Item"
    printf "o 1 1 10 2\no 2 2 10 3\no 3 3 10"
    for (i = 0; i < 40 * dump; i++)
        printf " %x", 4096 + i
    print ""
    for (i = 0; i < 40 * dump; i++)
        printf "o %x 4 64\n", 4096 + i
    print "r 1 4 0"
    if (dump == shared)
        print "r 3 1 0"
    print "c app.exe " 1000 * dump
}
