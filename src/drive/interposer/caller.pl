# Who is at the other end of a socket, and whether another process had influence on it: the kernel gives the process, and
# /proc shows its program, its environment, its mounts and its ancestors. A caller waits for an answer, so it is still
# there to be looked at.
my $own_mounts = mounts_of('self');
# Variables that name code, or settings that do, for any program.
my $naming_code = qr/^(?:LD_(?:PRELOAD|AUDIT|LIBRARY_PATH)|OPENSSL_(?:CONF|ENGINES|MODULES)|GCONV_PATH)=(.+)/s;

sub peer_of {
  my ($socket) = @_;
  return unpack('l', getsockopt($socket, 1, 17) || pack('l', 0));
}

sub identity {
  my @stat = stat $_[0];
  return @stat ? "$stat[0]:$stat[1]" : '';
}

# $is_option says whether a variable makes the program of the caller run other code.
sub influence_on {
  my ($pid, $is_option) = @_;
  return 'traced' if read_file("/proc/$pid/status") =~ /^TracerPid:\s*[1-9]/m;
  return 'among other mounts' if mounts_of($pid) ne mounts_around($pid);
  for my $variable (split /\0/, read_file("/proc/$pid/environ")) {
    return 'with options' if $is_option->($variable);
    next if $variable !~ $naming_code;
    return 'with other code' if grep { length && !m{^/(?:usr|lib|lib64|opt|etc|nix/store)/|^/dev/null$} } split /[: ]/, $1;
  }
  return '';
}

sub mounts_of {
  return readlink("/proc/$_[0]/ns/mnt") // '';
}

# Where the isolation of the trial put its processes: a caller that made its own mounts could have read another script.
sub mounts_around {
  my ($pid) = @_;
  my $mounts = mounts_of($pid);
  return $mounts if $mounts eq $own_mounts;
  for (1 .. 64) {
    $pid = parent_of($pid) or last;
    my $outer = mounts_of($pid);
    last if $outer eq $own_mounts || $outer eq '';
    $mounts = $outer;
  }
  return $mounts;
}

sub parent_of {
  my ($parent) = read_file("/proc/$_[0]/stat") =~ /.*\) \S (\d+)/s;
  return $parent;
}

sub read_file {
  open(my $file, '<:unix', $_[0]) or return '';
  my $text = '';
  1 while sysread($file, $text, 65536, length $text);
  return $text;
}
