# The dump with this number: a registry has 40 more plugins of 100 bytes in each dump, of 20 types; a list has
# one more item of 1,000. With `fresh`, each dump has other types.
BEGIN {
    print "a 2 app.exe " 1000 * dump
    print "t 1 App.Registry\nt 2 App.Plugins\nt 3 App.Log\nt 4 App.Item"
    for (i = 0; i < (fresh ? 60 : 20); i++)
        printf "t %x App.Plugin%02d\n", 16 + i, i
    printf "o 1 1 10 2\no 2 2 100"
    for (i = 0; i < 40 * dump; i++)
        printf " %x", 4096 + i
    printf "\no 3 3 10"
    for (i = 0; i < dump; i++)
        printf " %x", 256 + i
    print ""
    for (i = 0; i < 40 * dump; i++)
        printf "o %x %x 64\n", 4096 + i, 16 + i % 20 + (fresh ? 20 * int(i / 40) : 0)
    for (i = 0; i < dump; i++)
        printf "o %x 4 3e8\n", 256 + i
    print "r 1 4 0\nr 3 4 0\nc app.exe " 1000 * dump
}
