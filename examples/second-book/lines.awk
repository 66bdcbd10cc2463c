# Example 3 of mawk(1): counts the words line by line.
BEGIN { FS = "[^A-Za-z]+" }

{ for (i = 1; i <= NF; i++) word[$i] = "" }

END {
    delete word[""]
    for (i in word) cnt++
    print cnt
}
