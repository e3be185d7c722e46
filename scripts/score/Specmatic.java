import java.io.BufferedReader;
import java.io.InputStreamReader;

/** Runs the tests for each line on standard input. Their output ends with a line of its own. */
public class Specmatic {
  public static void main(String[] arguments) throws Exception {
    var starts = new BufferedReader(new InputStreamReader(System.in));
    while (starts.readLine() != null) {
      new picocli.CommandLine(new application.TestCommand()).execute(arguments);
      System.out.println("THE RUN HAS ENDED");
    }
  }
}
