# Stands in for all programs under test of a trial and does what the control decides. Perl without a single module.
# Its first argument is the position of the program in the list. `stand-in.ts` fills in the first statement.
my %set = ();
$^W = 0;
delete $ENV{PERL_BADLANG};
my ($name, $file, @words) = @{$set{programs}[shift @ARGV]};
my ($own_folder, $most_recorded) = @set{qw(own_folder most_recorded)};
my %call = %{$set{calls}};
my %letter = %{$set{letters}};
my @standard = (\*STDIN, \*STDOUT, \*STDERR);
my ($ended_by, $unrecorded, @doubts) = (0, '');
my ($read_input, $input_from) = ('');
my $address = $^O eq 'linux' ? pack('S a* x', 1, $set{socket}) : pack('CC a*', 2 + length $set{socket}, 1, $set{socket});
# A real program under test has called it: its own calls are left alone.
become_real() if ($ENV{ASSAY_TOOL_CONTROL} || '') eq '1';
my $line;
socket($line, 1, 1, 0) && connect($line, $address) or refuse("it cannot be reached: $!");
$SIG{PIPE} = 'IGNORE';
send_frame($letter{call}, $name, current_folder(), output_facts(), @ARGV);
while (1) {
  my ($kind, @fields) = receive_frame();
  if ($kind eq $letter{stdin}) {
    send_stdin();
  } elsif ($kind eq $letter{read}) {
    read_input(@fields);
  } elsif ($kind eq $letter{run}) {
    give_back_input();
    close $line;
    $SIG{PIPE} = 'DEFAULT';
    become_real();
  } elsif ($kind eq $letter{watch}) {
    give_back_input();
    watch_real(@fields);
  } elsif ($kind eq $letter{leave}) {
    end_as($ended_by & 127 ? 'signal' : 'exit', $ended_by & 127 || $ended_by >> 8);
  } elsif ($kind eq $letter{answer}) {
    leave_answer(@fields);
  } else {
    refuse("unexpected message");
  }
}

# To run the real program instead could do what a mock was to prevent.
sub refuse {
  syswrite STDERR, "$name: Assay controls this program in the trial, and does not answer: $_[0]\n";
  exit 125;
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
  $ENV{ASSAY_TOOL_CONTROL} = 1;
  ($file) = (grep({ -f && -x } map { "$_/$name" } grep { $_ ne $own_folder } split /:/, $ENV{PATH}), "./$name") if $file eq '';
  exec { $file } @words, @ARGV or report_failed_start();
}

sub report_failed_start {
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
  write_all($line, $letter{stdin} . pack('N', length $input) . $input) or refuse("$!");
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
  send_frame($letter{read}, $read_input, $ended, $is_idle);
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

sub watch_real {
  my ($holds, $tapes) = @_;
  my $is_one = same_file();
  my $input = $tapes ? open_input() : {};
  my (@outs, @ends);
  for my $fd ($is_one ? 1 : (1, 2)) {
    if (!$holds && -t $standard[$fd]) {
      $unrecorded ||= 'its output went to a terminal';
      next;
    }
    pipe($outs[$fd], $ends[$fd]) or refuse("$!");
  }
  my $owner = $$;
  my $child = fork;
  refuse("$!") if !defined $child;
  if (!$child) {
    if (%call) {
      syscall($call{prctl}, 1, 9);
      exit 137 if getppid() != $owner;
    }
    close $line;
    $SIG{PIPE} = 'DEFAULT';
    open(STDIN, '<&', $input->{end}) if $input->{end};
    open(STDOUT, '>&', $ends[1]) if $ends[1];
    open(STDERR, '>&', $ends[$is_one ? 1 : 2]) if $ends[$is_one ? 1 : 2];
    become_real();
  }
  for my $signal (qw(HUP INT TERM QUIT USR1 USR2)) {
    $SIG{$signal} = sub { kill $signal => $child };
  }
  close $_ for grep { $_ } @ends;
  close delete $input->{end} if $input->{end};
  $ended_by = accompany($child, $holds, $input, \@outs);
  leave_copier(@outs) if !$holds && grep { $_ } @outs;
  close_input($input) if $tapes;
  my $signal = $ended_by & 127;
  my @input = defined $input->{content} ? (1, $input->{content}, $input->{taken}, $input->{ended} ? 1 : 0) : (0, '', 0, 0);
  send_frame($letter{ended}, $signal ? ('signal', $signal) : ('exit', $ended_by >> 8), @input, $unrecorded, @doubts);
}

sub same_file {
  my ($out, $err) = map { join ':', (stat $_)[0, 1] } \*STDOUT, \*STDERR;
  return $out ne ':' && $out eq $err;
}

sub accompany {
  my ($child, $holds, $input, $outs) = @_;
  my ($status, $sent) = (undef, 0);
  while (!defined $status || grep { $_ } @$outs) {
    my ($readable, $writable) = ('', '');
    vec($readable, fileno $_, 1) = 1 for grep { $_ } @$outs;
    if ($input->{feed} && !defined $status) {
      if ($input->{fed}) { vec($writable, fileno $input->{feed}, 1) = 1 }
      else { vec($readable, 0, 1) = 1 }
    }
    my $ready = select($readable, $writable, undef, defined $status ? 0 : 0.02);
    if ($ready > 0) {
      for my $fd (grep { $outs->[$_] && vec($readable, fileno $outs->[$_], 1) } 1, 2) {
        $sent += pass_piece($outs, $fd, $holds, $sent);
      }
      take_read($input) if $input->{fed} && vec($writable, fileno $input->{feed}, 1);
      feed($input) if $input->{feed} && !$input->{fed} && vec($readable, 0, 1);
    }
    last if defined $status && $ready <= 0;
    $status = $? if !defined $status && waitpid($child, 1) == $child;
  }
  return $status;
}

sub pass_piece {
  my ($outs, $fd, $holds, $sent) = @_;
  my $got = sysread($outs->[$fd], my $piece, 65536);
  return 0 if !defined $got;
  if (!$got) {
    undef $outs->[$fd];
    return 0;
  }
  if (!$holds && !write_all($standard[$fd], $piece)) {
    push @doubts, 'the reader of its output left before the end';
    undef $outs->[$fd];
  }
  if ($holds || $sent + $got <= $most_recorded) {
    write_all($line, $letter{$fd == 1 ? 'stdout' : 'stderr'} . pack('N', $got) . $piece);
  } else {
    $unrecorded ||= 'it printed more than 1 MB';
  }
  return $got;
}

sub leave_copier {
  my @outs = @_;
  push @doubts, 'a process that it left running may have printed more';
  return if fork;
  setpgrp(0, 0);
  close $line;
  $SIG{$_} = 'IGNORE' for qw(HUP INT TERM QUIT);
  while (grep { $_ } @outs) {
    my $readable = '';
    vec($readable, fileno $_, 1) = 1 for grep { $_ } @outs;
    next if select($readable, undef, undef, undef) <= 0;
    for my $fd (grep { $outs[$_] && vec($readable, fileno $outs[$_], 1) } 1, 2) {
      my $got = sysread($outs[$fd], my $piece, 65536);
      undef $outs[$fd] if !$got || !write_all($standard[$fd], $piece);
    }
  }
  exit 0;
}

# The input of a pipe or a socket is shown to the program through a pipe of one page, without being taken from the caller
# before the program has read it: what a program leaves is there for the next one.
sub open_input {
  my @stat = stat STDIN;
  my $type = @stat ? $stat[2] >> 12 : 0;
  return {} if !$type || ($type == 2 && $stat[6] == (stat '/dev/null')[6]);
  return { is_file => 1, from => sysseek(STDIN, 0, 1) + 0 } if $type == 8;
  if (-t STDIN) {
    push @doubts, 'its standard input was a terminal, and what was typed is not recorded';
    return {};
  }
  if (($type == 1 && $call{tee}) || $type == 12) {
    my $input = { content => '', fed => 0, is_socket => $type == 12 };
    pipe($input->{end}, $input->{feed}) or refuse("$!");
    return $input if fcntl($input->{feed}, 1031, 4096) && fcntl($input->{feed}, 4, 04000);
  }
  $unrecorded ||= 'its standard input cannot be recorded on this system';
  return {};
}

sub feed {
  my ($input) = @_;
  my ($count, $error);
  if ($input->{is_socket}) {
    my $from = recv(STDIN, my $piece, 4096, 0x42);
    $count = !defined $from ? -1 : length $piece && defined(syswrite $input->{feed}, $piece) ? length $piece : 0;
    $error = $!;
    return stop_feeding($input) if defined $from && length $piece && !$count;
  } else {
    $count = syscall($call{tee}, 0, fileno $input->{feed}, 65536, 2);
    $error = $!;
  }
  return $input->{fed} = $count if $count > 0;
  return if $count < 0 && ($error == 11 || $error == 4);
  $input->{ended} = 1 if $count == 0;
  $unrecorded ||= "its standard input cannot be recorded: $error" if $count < 0 && $error != 32;
  stop_feeding($input);
}

sub stop_feeding {
  my ($input) = @_;
  close delete $input->{feed};
}

sub take_read {
  my ($input) = @_;
  my $left = pack('i', 0);
  ioctl($input->{feed}, 0x541B, $left);
  $left = unpack('i', $left);
  my $count = $input->{fed} - $left;
  $input->{fed} = 0;
  while ($count > 0) {
    vec(my $readable = '', 0, 1) = 1;
    my $got = select($readable, undef, undef, 0) > 0 ? sysread(STDIN, my $piece, $count) : 0;
    if (!$got) {
      $unrecorded ||= 'another process read from the same standard input';
      last;
    }
    $count -= $got;
    $input->{content} .= $piece if length $input->{content} <= $most_recorded;
  }
  $input->{was_left} = 1 if $left;
  stop_feeding($input) if $left;
}

sub close_input {
  my ($input) = @_;
  if ($input->{is_file}) {
    read_file_input($input);
  } elsif (defined $input->{content}) {
    take_read($input) if $input->{fed};
    $input->{ended} = 0 if $input->{was_left};
    $input->{taken} = length $input->{content};
    delete $input->{content} if !$input->{taken} && !$input->{ended};
  }
  return if length($input->{content} || '') <= $most_recorded;
  $unrecorded ||= 'its standard input has more than 1 MB';
  $input->{content} = '';
}

sub read_file_input {
  my ($input) = @_;
  my $from = $input->{from};
  my $to = sysseek(STDIN, 0, 1) + 0;
  my $size = -s STDIN;
  push @doubts, 'it moved back in its standard input' if $to < $from;
  my $end = $to > $from ? $to : $size;
  sysseek(STDIN, $from, 0);
  my $content = '';
  while (length $content < $end - $from && length $content <= $most_recorded) {
    last if !sysread(STDIN, $content, $end - $from - length $content, length $content);
  }
  sysseek(STDIN, $to, 0);
  @$input{qw(content taken ended)} = ($content, $to > $from ? $to - $from : 0, $end >= $size);
}
