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
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

import com.sun.management.OperatingSystemMXBean;

import tlc2.TLC;
import tlc2.TLCGlobals;
import tlc2.output.EC;
import tlc2.output.MP;
import util.FileUtil;
import util.InternTable;
import util.SimpleFilenameToStream;
import util.ToolIO;
import util.UniqueString;

/**
 * TLC once for each request that comes, in one JVM. A request is words, each with a NUL behind it: how many follow, TLC's library (or
 * nothing), the files for its standard output and error, and its arguments. The answer is a line: its exit status, and the CPU time that
 * it took, in nanoseconds.
 *
 * TLC is written for one run a JVM, and leaves much in static fields: where its variables are, which thread has found an error. Before
 * each run all that are not final have the values of before the first.
 */
final class Resident {
    public static void main(String[] none) throws Exception {
        PrintStream answers = System.out;
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
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

    private final List<Field> fields = new ArrayList<>();
    private final List<Object> values = new ArrayList<>();
    private final List<Field> ofTable = new ArrayList<>();
    private final List<Object> table = new ArrayList<>();
    private final UniqueString[] strings;
    private final Field place;
    private final Constructor<MP> messages;

    /** Loads TLC, and keeps what it has before a run. */
    private Resident() throws Exception {
        // Whether it counts what is evaluated is final in each class once that is loaded.
        TLCGlobals.coverageInterval = 1;
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
    }

    private void keep(String name) throws IllegalAccessException {
        try {
            for (Field field : Class.forName(name).getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) && !Modifier.isFinal(field.getModifiers())) {
                    field.setAccessible(true);
                    fields.add(field);
                    values.add(field.get(null));
                }
            }
        } catch (ClassNotFoundException | LinkageError unused) {
            // One that needs what is not in the jar is not used either.
        }
    }

    private static Object copy(Object value) {
        return value instanceof UniqueString[] ? ((UniqueString[]) value).clone() : value;
    }

    private void reset() throws ReflectiveOperationException {
        for (int i = 0; i < fields.size(); i++) {
            fields.get(i).set(null, values.get(i));
        }
        for (int i = 0; i < ofTable.size(); i++) {
            ofTable.get(i).set(UniqueString.internTbl, copy(table.get(i)));
        }
        for (UniqueString string : strings) {
            if (string != null) {
                place.setInt(string, -1);
            }
        }
        Field instance = MP.class.getDeclaredField("instance");
        instance.setAccessible(true);
        instance.set(null, messages.newInstance());
    }

    /** What tlc2.TLC's main does, up to its exit, on a thread that nobody has used. */
    private int run(String[] words) throws Exception {
        reset();
        if (words[0].isEmpty()) {
            System.clearProperty("TLA-Library");
        } else {
            System.setProperty("TLA-Library", words[0]);
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
                if (tlc.handleParameters(Arrays.copyOfRange(words, 3, words.length))) {
                    tlc.setResolver(new SimpleFilenameToStream(FileUtil.parseDirname(tlc.getMainFile())));
                    status[0] = EC.ExitStatus.errorConstantToExitStatus(tlc.process());
                }
            });
            thread.start();
            thread.join();
        }
        return status[0];
    }
}
