# The same, redone in mawk(1): each word is a record.
BEGIN { RS = "[^A-Za-z]+" }

{ word[$0] = "" }

END {
    delete word[""]
    for (i in word) cnt++
    print cnt
}
