# Kills the process groups of a runner that has ended without doing so itself, as after kill -9: its end closes standard input.
# One line for each change:
#   born GROUP    the runner has started it
#   over GROUP    the runner has killed it
trap '' HUP INT QUIT TERM PIPE
groups=
while read -r change group; do
    case $change in
    born)
        groups="$groups $group"
        ;;
    over)
        left=
        for other in $groups; do
            [ "$other" = "$group" ] || left="$left $other"
        done
        groups=$left
        ;;
    esac
done
for group in $groups; do
    kill -s KILL -- "-$group"
done
