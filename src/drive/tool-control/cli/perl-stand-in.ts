import { letters } from './control-socket.ts';

/** How a stand-in starts the real program. */
export interface RealProgram {
  /** Name under which it is called. */
  readonly name: string;
  /** File that is started. */
  readonly file: string;
  /** All words up to the arguments: the name that it is started by, or an interpreter with its script. */
  readonly words: readonly string[];
}

/** Shows a stand-in that it was called by a real program under test, whose own calls are left alone. */
const insideVariable = 'ASSAY_TOOL_CONTROL';

/** Of a stand-in that got no answer: to run the real program instead could do what a mock was to prevent. */
const unansweredExitCode = 125;

/**
 * The program that stands in for all programs under test of a trial, in perl without a single module. Its first argument
 * is the position of the program in the list.
 */
export function perlStandIn(programs: readonly RealProgram[], socket: string, isLinux: boolean): string {
  const list = programs.map(({ name, file, words }) => `[${[name, file, ...words].map(quoted).join(', ')}]`);
  const path = quoted(socket);
  return `
$^W = 0;
delete $ENV{PERL_BADLANG};
my ($name, $file, @words) = @{(${list.join(', ')})[shift @ARGV]};
my $address = ${isLinux ? `pack('S a* x', 1, ${path})` : `pack('CC a*', 2 + length ${path}, 1, ${path})`};
become_real() if ($ENV{${insideVariable}} || '') eq '1';
my $line;
socket($line, 1, 1, 0) && connect($line, $address) or refuse("it cannot be reached: $!");
$SIG{PIPE} = 'IGNORE';
send_frame('${letters.call}', $name, current_folder(), @ARGV);
while (1) {
  my ($kind, @fields) = receive_frame();
  if ($kind eq '${letters.stdin}') {
    send_stdin();
  } elsif ($kind eq '${letters.run}') {
    close $line;
    $SIG{PIPE} = 'DEFAULT';
    become_real();
  } elsif ($kind eq '${letters.capture}') {
    capture_real();
  } elsif ($kind eq '${letters.answer}') {
    leave_answer(@fields);
  } else {
    refuse("unexpected message");
  }
}
${body}`;
}

const body = String.raw`
sub refuse {
  syswrite STDERR, "$name: Assay controls this program in the trial, and does not answer: $_[0]\n";
  exit ${unansweredExitCode};
}

sub current_folder {
  my $folder = readlink '/proc/self/cwd';
  return $folder if defined $folder;
  # As the recorder names it, or the call would not be recognised in its records.
  my ($here, $there) = (join(':', (stat '.')[0, 1]), join(':', (stat $ENV{PWD})[0, 1]));
  return $ENV{PWD} if $here eq $there;
  require Cwd;
  return Cwd::getcwd();
}

sub become_real {
  $ENV{${insideVariable}} = 1;
  exec { $file } @words, @ARGV;
  my $code = $! == 2 ? 127 : 126;
  syswrite STDERR, "$name: $file cannot be started: $!\n";
  exit $code;
}

sub write_all {
  my ($handle, $text) = @_;
  my $at = 0;
  while ($at < length $text) {
    my $written = syswrite($handle, $text, 65536, $at);
    next if !defined $written && $! == 4;
    return 0 if !defined $written;
    $at += $written;
  }
  return 1;
}

sub send_frame {
  my ($kind, @fields) = @_;
  my $content = join '', map { pack('N', length $_) . $_ } @fields;
  write_all($line, $kind . pack('N', length $content) . $content) or refuse("$!");
}

sub read_bytes {
  my ($count) = @_;
  my $bytes = '';
  while (length $bytes < $count) {
    my $got = sysread($line, $bytes, $count - length $bytes, length $bytes);
    next if !defined $got && $! == 4;
    refuse('the trial has ended') if !$got;
  }
  return $bytes;
}

sub receive_frame {
  my ($kind, $length) = unpack('a N', read_bytes(5));
  my $content = read_bytes($length);
  my @fields;
  while (length $content) {
    my $bytes = unpack('N', substr($content, 0, 4, ''));
    push @fields, substr($content, 0, $bytes, '');
  }
  return ($kind, @fields);
}

sub send_stdin {
  my $input = '';
  if (!-t STDIN) {
    while (length $input < 16777216) {
      my $got = sysread(STDIN, $input, 65536, length $input);
      next if !defined $got && $! == 4;
      last if !$got;
    }
    open(my $kept, '+>', undef) or refuse("the standard input cannot be kept: $!");
    write_all($kept, $input);
    sysseek($kept, 0, 0);
    open(STDIN, '<&', $kept) or refuse("$!");
  }
  write_all($line, '${letters.stdin}' . pack('N', length $input) . $input) or refuse("$!");
}

sub capture_real {
  my @pipes = map { pipe(my $out, my $in) or refuse("$!"); [$out, $in] } 1, 2;
  my $child = fork;
  refuse("$!") if !defined $child;
  if (!$child) {
    close $line;
    $SIG{PIPE} = 'DEFAULT';
    open(STDOUT, '>&', $pipes[0][1]);
    open(STDERR, '>&', $pipes[1][1]);
    become_real();
  }
  for my $signal (qw(HUP INT TERM QUIT USR1 USR2)) {
    $SIG{$signal} = sub { kill $signal => $child };
  }
  close $_->[1] for @pipes;
  my ($status, @texts) = collect($child, map { $_->[0] } @pipes);
  my $code = $status & 127 ? 128 + ($status & 127) : $status >> 8;
  send_frame('${letters.captured}', $code, @texts);
}

sub collect {
  my ($child, @outputs) = @_;
  my (@texts, $status) = ('', '');
  my @open = (1, 1);
  while ($open[0] || $open[1] || !defined $status) {
    my $wanted = '';
    for (0, 1) { vec($wanted, fileno $outputs[$_], 1) = 1 if $open[$_] }
    my $ready = select(my $readable = $wanted, undef, undef, defined $status ? 0 : 0.02);
    for my $index (grep { $ready > 0 && $open[$_] && vec($readable, fileno $outputs[$_], 1) } 0, 1) {
      my $got = sysread($outputs[$index], $texts[$index], 65536, length $texts[$index]);
      $open[$index] = 0 if defined $got && $got == 0;
    }
    last if defined $status && $ready <= 0;
    $status = $? if !defined $status && waitpid($child, 1) == $child;
  }
  return ($status, @texts);
}

sub leave_answer {
  my ($code, $output, $errors, @files) = @_;
  while (my ($kind, $path, $content) = splice(@files, 0, 3)) {
    if ($kind eq '-') {
      unlink $path;
      next;
    }
    my @folders = split m{/}, $path;
    mkdir join('/', @folders[0 .. $_]) for grep { $folders[$_] ne '' } 0 .. $#folders - 1;
    open(my $file, '>', $path) or refuse("$path cannot be written: $!");
    write_all($file, $content);
    close $file;
  }
  $SIG{PIPE} = 'DEFAULT';
  write_all(\*STDOUT, $output);
  write_all(\*STDERR, $errors);
  exit $code;
}
`;

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
