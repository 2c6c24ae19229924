#!/bin/sh
# check.sh KILOBYTES: fails where the disk of the town has less left.
left=$(df -Pk "$TOWN_ROOT" | awk 'NR == 2 { print $4 }')
echo "$left kB left on the disk of $TOWN_ROOT"
test "$left" -ge "$1"
