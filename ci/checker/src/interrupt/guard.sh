# Kills the process groups of a runner that has ended without doing so itself, as after kill -9: its end closes standard input.
# One line for each change:
#   next          the runner starts a child
#   born GROUP    from that child itself, before it becomes its program
#   void          it could not become its program, or was never born; the number is free for others
#   over GROUP    the runner has killed the group
trap '' HUP INT QUIT TERM PIPE
groups=
new=
while read -r change group; do
    case $change in
    next)
        groups="$groups $new"
        new=
        ;;
    born)
        new=$group
        ;;
    void)
        new=
        ;;
    over)
        left=
        for other in $groups $new; do
            [ "$other" = "$group" ] || left="$left $other"
        done
        groups=$left
        new=
        ;;
    esac
done
for group in $groups $new; do
    kill -s KILL -- "-$group"
done
