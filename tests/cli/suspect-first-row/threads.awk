# Sizes are hexadecimal. 10 threads of 0x18 bytes are roots, each with a buffer of 0x342 = 834: together 858
# bytes. An array of 0x460 = 1,120 is below a static root. 10 small objects of 30 bytes are roots.
BEGIN {
    print "a 2 app.exe 1000\nt 1 App.Thread\nt 2 App.Buffer\nt 3 App.Item[]\nt 4 App.Small"
    for (i = 1; i <= 10; i++) {
        printf "o %x 1 18 %x\no %x 2 342\n", 256 + i, 512 + i, 512 + i
        printf "o %x 4 1e\n", 768 + i
    }
    print "o 400 3 460"
    for (i = 1; i <= 10; i++)
        printf "r %x 1 0 1\nr %x 1 0\n", 256 + i, 768 + i
    if (!none)
        print "r 400 4 0 3"
    print "c app.exe 1000"
}
