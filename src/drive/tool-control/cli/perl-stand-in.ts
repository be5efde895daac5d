import { type SystemCalls, systemCallsOf } from '../../recorder/shims/perl-shim.ts';
import { letters } from './control-letters.ts';
import { perlWatch } from './perl-watch.ts';

/** How a stand-in starts the real program. */
export interface RealProgram {
  /** Name under which it is called. */
  readonly name: string;
  /** File that is started; empty for the first of its name on PATH. */
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
export function perlStandIn(programs: readonly RealProgram[], socket: string, binFolder: string): string {
  const isLinux = process.platform === 'linux';
  const calls = numbersOf(systemCallsOf(process.platform, process.arch));
  const list = programs.map(({ name, file, words }) => `[${[name, file, ...words].map(quoted).join(', ')}]`);
  const path = quoted(socket);
  return `
$^W = 0;
delete $ENV{PERL_BADLANG};
my ($name, $file, @words) = @{(${list.join(', ')})[shift @ARGV]};
my %call = (${calls});
my @standard = (\\*STDIN, \\*STDOUT, \\*STDERR);
my $own_folder = ${quoted(binFolder)};
my ($ended_by, $unrecorded, @doubts) = (0, '');
my ($read_input, $input_from) = ('');
my $address = ${isLinux ? `pack('S a* x', 1, ${path})` : `pack('CC a*', 2 + length ${path}, 1, ${path})`};
become_real() if ($ENV{${insideVariable}} || '') eq '1';
my $line;
socket($line, 1, 1, 0) && connect($line, $address) or refuse("it cannot be reached: $!");
$SIG{PIPE} = 'IGNORE';
send_frame('${letters.call}', $name, current_folder(), output_facts(), @ARGV);
while (1) {
  my ($kind, @fields) = receive_frame();
  if ($kind eq '${letters.stdin}') {
    send_stdin();
  } elsif ($kind eq '${letters.read}') {
    read_input(@fields);
  } elsif ($kind eq '${letters.run}') {
    give_back_input();
    close $line;
    $SIG{PIPE} = 'DEFAULT';
    become_real();
  } elsif ($kind eq '${letters.watch}') {
    give_back_input();
    watch_real(@fields);
  } elsif ($kind eq '${letters.leave}') {
    end_as($ended_by & 127 ? 'signal' : 'exit', $ended_by & 127 || $ended_by >> 8);
  } elsif ($kind eq '${letters.answer}') {
    leave_answer(@fields);
  } else {
    refuse("unexpected message");
  }
}
${body}${perlWatch}`;
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
  ($file) = (grep({ -f && -x } map { "$_/$name" } grep { $_ ne $own_folder } split /:/, $ENV{PATH}), "./$name") if $file eq '';
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

sub output_facts {
  return join ' ', same_file() ? 1 : 0, map { join ':', (stat $_)[0, 1] } \*STDOUT, \*STDERR;
}

sub read_input {
  my ($count, $patience) = @_;
  my ($ended, $is_idle) = (0, 0);
  $input_from = sysseek(STDIN, 0, 1) if !defined $input_from && -f STDIN;
  $ended = 1 if -t STDIN || !defined fileno STDIN;
  while (!$ended && length $read_input < $count) {
    vec(my $readable = '', 0, 1) = 1;
    if ($patience ne '' && !select($readable, undef, undef, $patience)) {
      $is_idle = 1;
      last;
    }
    my $got = sysread(STDIN, $read_input, $count - length $read_input, length $read_input);
    next if !defined $got && $! == 4;
    $ended = 1 if !$got;
  }
  send_frame('${letters.read}', $read_input, $ended, $is_idle);
}

sub give_back_input {
  return if $read_input eq '';
  return sysseek(STDIN, $input_from, 0) if defined $input_from;
  pipe(my $out, my $in) or refuse("$!");
  my $feeder = fork;
  refuse("$!") if !defined $feeder;
  if (!$feeder) {
    exit 0 if fork;
    close $line;
    close $out;
    write_all($in, $read_input) or exit 0;
    while (sysread(STDIN, my $piece, 65536)) {
      write_all($in, $piece) or last;
    }
    exit 0;
  }
  waitpid $feeder, 0;
  close $in;
  open(STDIN, '<&', $out) or refuse("$!");
  $read_input = '';
}

sub end_as {
  my ($kind, $number) = @_;
  exit $number if $kind eq 'exit';
  $SIG{$_} = 'DEFAULT' for grep { $SIG{$_} } keys %SIG;
  select(undef, undef, undef, undef) while !$number;
  syscall($call{prctl}, 4, 0) if %call;
  kill $number => $$;
  select(undef, undef, undef, 0.1);
  exit 128 + $number;
}

sub leave_answer {
  my ($kind, $number, $taken, $order, $output, $errors, @files) = @_;
  sysseek(STDIN, $input_from + $taken, 0) if defined $input_from && $taken ne '';
  while (my ($is, $path, $mode, $content) = splice(@files, 0, 4)) {
    leave_file($is, $path, $mode, $content);
  }
  $SIG{PIPE} = 'DEFAULT';
  my $is_error = 0;
  for my $length (split /,/, $order) {
    write_all($standard[$is_error ? 2 : 1], substr($is_error ? $errors : $output, 0, $length, ''));
    $is_error = !$is_error;
  }
  write_all(\*STDOUT, $output);
  write_all(\*STDERR, $errors);
  end_as($kind, $number);
}

sub leave_file {
  my ($is, $path, $mode, $content) = @_;
  if ($is eq 'removed') {
    -d $path && !-l $path ? rmdir $path : unlink $path;
    return;
  }
  my @folders = split m{/}, $path;
  mkdir join('/', @folders[0 .. $_]) for grep { $folders[$_] ne '' } 0 .. $#folders - 1;
  if ($is eq 'folder') {
    mkdir $path;
  } elsif ($is eq 'link') {
    unlink $path;
    symlink($content, $path) or refuse("$path cannot be made: $!");
    return;
  } else {
    unlink $path if -l $path || (-e $path && !-w $path);
    open(my $file, '>', $path) or refuse("$path cannot be written: $!");
    write_all($file, $content);
    close $file;
  }
  chmod oct $mode, $path if $mode ne '';
}
`;

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

function numbersOf(calls: SystemCalls | undefined): string {
  if (!calls) return '';
  const { prctl, tee } = calls;
  return `prctl => ${prctl}, tee => ${tee}`;
}
