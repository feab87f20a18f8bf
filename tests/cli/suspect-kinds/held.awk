# Sizes are hexadecimal. Roots of this kind hold 120 objects of 100 bytes, of `types` types in turn. Each
# object has a buffer of 95, so they are 195 each, 23,400 together. There are also an array of 5,000, and 100
# objects of 116, each a root of another type.
BEGIN {
    print "a 2 app.exe 1000\nt 1 App.Buffer\nt 2 App.Item[]"
    for (i = 0; i < 120; i++) {
        printf "t %x App.Form%d\no %x %x 64 %x\no %x 1 5f\n", 16 + i, i, 4096 + i, 16 + i % types, 8192 + i, 8192 + i
        printf "r %x %d 0\n", 4096 + i, kind
    }
    print "o 400 2 1388\nr 400 4 0"
    for (i = 0; i < 100; i++)
        printf "t %x App.Small%d\no %x %x 74\nr %x 5 0\n", 256 + i, i, 12288 + i, 256 + i, 12288 + i
    print "c app.exe 1000"
}
