import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

import com.sun.management.OperatingSystemMXBean;

import tla2sany.semantic.SemanticNode;
import tlc2.TLC;
import tlc2.TLCGlobals;
import tlc2.output.EC;
import tlc2.output.MP;
import tlc2.output.MPRecorder;
import tlc2.tool.Action;
import tlc2.tool.ITool;
import tlc2.tool.coverage.ActionWrapper;
import tlc2.tool.coverage.CostModel;
import util.FileUtil;
import util.InternTable;
import util.SimpleFilenameToStream;
import util.ToolIO;
import util.UniqueString;

/**
 * TLC once for each request that comes, in one JVM. A request is words, each with a NUL behind it: how many follow, TLC's library (or
 * nothing), the files for its standard output and error, `actions` if it is to count how often each fires (or nothing), and its
 * arguments. The answer is a line: its exit status, and the CPU time that it took, in nanoseconds. With the argument `formulas` it
 * counts how often each is evaluated, as those requests ask it to, else it never does.
 *
 * TLC is written for one run a JVM, and leaves much in static fields: where its variables are, which thread has found an error, the
 * states of a counterexample. Before each run all that are not final have the values of before the first, and the collections in them
 * hold what they held.
 */
final class Resident {
    public static void main(String[] how) throws Exception {
        PrintStream answers = System.out;
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        // Whether it counts is final in each class once that is loaded; these two count actions.
        int none = TLCGlobals.coverageInterval;
        TLCGlobals.coverageInterval = 1;
        if (!Arrays.asList(how).contains("formulas")) {
            Class.forName("tlc2.tool.ModelChecker");
            Class.forName("tlc2.tool.Worker");
            TLCGlobals.coverageInterval = none;
        }
        Resident tlc = new Resident();
        answers.println("ready");
        for (;;) {
            String[] words = request(System.in);
            long before = system.getProcessCpuTime();
            int status = tlc.run(words);
            answers.println(status + " " + (system.getProcessCpuTime() - before));
        }
    }

    private static String[] request(InputStream in) throws IOException {
        String[] words = new String[Integer.parseInt(word(in))];
        for (int i = 0; i < words.length; i++) {
            words[i] = word(in);
        }
        return words;
    }

    private static String word(InputStream in) throws IOException {
        ByteArrayOutputStream word = new ByteArrayOutputStream();
        for (int next = in.read(); next != 0; next = in.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            word.write(next);
        }
        return word.toString(StandardCharsets.UTF_8);
    }

    private final List<Runnable> kept = new ArrayList<>();
    private final List<Field> ofTable = new ArrayList<>();
    private final List<Object> table = new ArrayList<>();
    private final UniqueString[] strings;
    private final Field place;
    private final Constructor<MP> messages;
    private final Field instance;

    /** Loads TLC, and keeps what it has before a run. */
    private Resident() throws Exception {
        Path jar = Path.of(TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (JarFile file = new JarFile(jar.toFile())) {
            for (JarEntry entry : (Iterable<JarEntry>) file.stream()::iterator) {
                String name = entry.getName().replace('/', '.');
                if (name.matches("(tlc2|tla2sany|util)\\..*\\.class") && !name.matches(".*(\\.distributed\\.|Explorer|Executor).*")) {
                    keep(name.substring(0, name.length() - ".class".length()));
                }
            }
        }
        for (Field field : InternTable.class.getDeclaredFields()) {
            field.setAccessible(true);
            ofTable.add(field);
            table.add(copy(field.get(UniqueString.internTbl)));
        }
        Field all = InternTable.class.getDeclaredField("table");
        all.setAccessible(true);
        strings = ((UniqueString[]) all.get(UniqueString.internTbl)).clone();
        place = UniqueString.class.getDeclaredField("loc");
        place.setAccessible(true);
        messages = MP.class.getDeclaredConstructor();
        messages.setAccessible(true);
        instance = MP.class.getDeclaredField("instance");
        instance.setAccessible(true);
    }

    private void keep(String name) throws IllegalAccessException {
        try {
            for (Field field : Class.forName(name).getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) && !Modifier.isFinal(field.getModifiers())) {
                    field.setAccessible(true);
                    Object value = field.get(null);
                    kept.add(() -> put(field, value));
                    keep(value);
                }
            }
        } catch (ClassNotFoundException | LinkageError unused) {
            // One that needs what is not in the jar is not used either.
        }
    }

    /** What it holds. */
    @SuppressWarnings("unchecked")
    private void keep(Object value) {
        if (value instanceof Collection) {
            Collection<Object> all = (Collection<Object>) value;
            List<Object> before = new ArrayList<>(all);
            kept.add(() -> refill(() -> {
                all.clear();
                all.addAll(before);
            }));
        } else if (value instanceof Map) {
            Map<Object, Object> all = (Map<Object, Object>) value;
            Map<Object, Object> before = new LinkedHashMap<>(all);
            kept.add(() -> refill(() -> {
                all.clear();
                all.putAll(before);
            }));
        }
    }

    private static void refill(Runnable refill) {
        try {
            refill.run();
        } catch (UnsupportedOperationException unused) {
            // One that cannot be changed is as before.
        }
    }

    private static void put(Field field, Object value) {
        try {
            field.set(null, value);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static Object copy(Object value) {
        return value instanceof UniqueString[] ? ((UniqueString[]) value).clone() : value;
    }

    private void reset() throws ReflectiveOperationException {
        kept.forEach(Runnable::run);
        for (int i = 0; i < ofTable.size(); i++) {
            ofTable.get(i).set(UniqueString.internTbl, copy(table.get(i)));
        }
        for (UniqueString string : strings) {
            if (string != null) {
                place.setInt(string, -1);
            }
        }
        instance.set(null, messages.newInstance());
    }

    /** What tlc2.TLC's main does, up to its exit, on a thread that nobody has used. */
    private int run(String[] words) throws Exception {
        reset();
        if (words[3].equals("actions")) {
            MP.setRecorder(new MPRecorder() {
                @Override
                public void record(int code, Object... said) {
                    if (code == EC.TLC_COMPUTING_INIT) {
                        countActions(TLCGlobals.mainChecker.tool);
                    }
                }
            });
        }
        int[] status = { 1 };
        try (PrintStream out = new PrintStream(new FileOutputStream(words[1]), false);
                PrintStream err = new PrintStream(new FileOutputStream(words[2]), true)) {
            System.setOut(out);
            System.setErr(err);
            ToolIO.out = out;
            ToolIO.err = err;
            Thread thread = new Thread(() -> {
                TLC tlc = new TLC();
                if (tlc.handleParameters(Arrays.copyOfRange(words, 4, words.length))) {
                    String folder = FileUtil.parseDirname(tlc.getMainFile());
                    String[] folders = words[0].isEmpty() ? new String[] { folder } : new String[] { folder, words[0] };
                    tlc.setResolver(new SimpleFilenameToStream(folders));
                    status[0] = EC.ExitStatus.errorConstantToExitStatus(tlc.process());
                }
            });
            thread.start();
            thread.join();
        }
        return status[0];
    }

    /** Before its first state: as `-coverage 1`, but of formulas nothing. */
    private static void countActions(ITool tool) {
        TLCGlobals.coverageInterval = 60_000;
        Map<SemanticNode, CostModel> counters = new LinkedHashMap<>();
        for (Action action : tool.getActions()) {
            action.cm = counters.computeIfAbsent(action.pred, node -> new OfAction(new ActionWrapper(action, ActionWrapper.Relation.NEXT)));
        }
    }

    /** Counts the states that an action generates, and of these the new ones; TLC's own counter of an action would count formulas too. */
    private static final class OfAction implements CostModel {
        private final ActionWrapper counter;

        private OfAction(ActionWrapper counter) {
            this.counter = counter;
        }

        @Override
        public CostModel incInvocations() {
            return incInvocations(1);
        }

        @Override
        public CostModel incInvocations(long by) {
            counter.incInvocations(by);
            return this;
        }

        @Override
        public CostModel incSecondary() {
            return incSecondary(1);
        }

        @Override
        public CostModel incSecondary(long by) {
            counter.incSecondary(by);
            return this;
        }

        @Override
        public CostModel report() {
            counter.report();
            return this;
        }

        @Override
        public CostModel get(SemanticNode formula) {
            return DO_NOT_RECORD;
        }

        @Override
        public CostModel getAndIncrement(SemanticNode formula) {
            return DO_NOT_RECORD;
        }

        @Override
        public CostModel getRoot() {
            return this;
        }
    }
}
