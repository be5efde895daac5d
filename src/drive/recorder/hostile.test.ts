import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CoveredTool } from '../../testing/fakes/recorder/covered-tool.ts';
import { RecordedTool } from '../../testing/fakes/recorder/recorded-tool.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { testedTiers } from '../../testing/support/tested-tiers.ts';
import { stubOf } from '../interposer/stub.ts';

const tiers = await testedTiers();
const covering = tiers.filter((tier) => tier !== 'none');

const changed = /the shim in front of the tool was changed or removed/;
const forged = /may be forged/;

/** Reports a call to the server that was never made, as a shim would. */
const forgery = `
perl -e '
  $SIG{PIPE} = "IGNORE"; socket(my $s, 1, 1, 0); connect($s, pack("S a* x", 1, $ENV{SOCKET})) or die;
  my $start = join("\\0", 1, 0, "", "/", "tool", "forged") . "\\0";
  my $end = join("\\0", 1, "exit", 0, "", 0, "", "", 0, "", "", ".") . "\\0";
  syswrite($s, "S" . pack("NN", length $start, length $start) . $start);
  syswrite($s, "E" . pack("NN", length $end, length $end) . $end);
  1 while sysread($s, my $answer, 1);
'`;

describe.each(covering)('in the tier %s the recorder cannot be walked around', (tier) => {
  it('by other ways to the program', async () => {
    await using tool = await CoveredTool.open(tier);
    const { stdout } = await tool.run(`
      tool echo path
      "$T" echo absolute
      ln -s "$T" link; ./link echo link
      cp "$T" copy; ./copy echo copy
      echo xargs | xargs "$T" echo
      printf '#!/bin/sh\\n%s echo script\\n' "$T" >script; chmod +x script; ./script
      env -i "$T" echo bare
      cd "$(dirname "$T")"; ./tool echo relative
    `);
    const ways = ['path', 'absolute', 'link', 'copy', 'xargs', 'script', 'bare', 'relative'];
    expect(stdout.trim().split('\n')).toEqual(ways);
    expect(await tool.recorded()).toEqual(ways.map((way) => `echo ${way}`));
    expect(tool.recorder.doubts).toEqual([]);
    expect(tool.recorder.problems).toEqual([]);
  });

  it('by other ways to a script, which finds its neighbours', async () => {
    await using tool = await CoveredTool.open(tier);
    const script = `"$(dirname "$T")/script-tool"`;
    const { stdout } = await tool.run(`
      script-tool echo path
      ${script} sh -c 'echo "$0 $1"' a b
      ln -s ${script} link; ./link echo link
      sh ${script} echo unrecorded
    `);
    expect(stdout).toBe('path\na b\nlink\nunrecorded\n');
    expect(await tool.recorded()).toEqual(['echo path', 'sh -c echo "$0 $1" a b', 'echo link']);
  });

  it('by changes of its files, which are refused', async () => {
    await using tool = await CoveredTool.open(tier);
    const recorder = join(tool.folder, 'recorder');
    await tool.run(`
      rm -f "$SOCKET" ${recorder}/shims/0/*; mv ${recorder} ${recorder}-gone; cp /bin/true "$T"; rm -f "$T"
      umount "$T"; umount ${recorder}; mount --bind /usr/bin/env "$T"
      mkdir ${recorder}/calls; true >${recorder}/calls/x.s; chmod 777 ${recorder}/shims/0/perl-shim
      tool echo recorded
    `);
    expect(await tool.recorded()).toEqual(['echo recorded']);
    expect(tool.recorder.doubts).toEqual([]);
  });

  it('by its own mounts, which only break the tool', async ({ skip }) => {
    await using tool = await CoveredTool.open(tier);
    const inside = 'unshare --user --map-root-user --mount';
    skip((await tool.run(`${inside} true`)).exitCode !== 0, 'this machine makes no user namespaces in this tier');
    const shim = join(tool.folder, 'recorder', 'shims', '0', 'perl-shim');
    const { stdout } = await tool.run(`
      printf '#!/usr/bin/perl\\nprint "evil\\\\n"; exit 0\\n' >evil; chmod +x evil
      sed 's/my .*patience) = .*/&sleep 0;/' ${shim} >changed; chmod +x changed
      ${inside} sh -c 'umount "$T"; mount --bind changed ${shim}; "$T" echo reached'
    `);
    expect(stdout).not.toContain('reached');
    expect(await tool.recorded()).toEqual([]);
    expect(tool.recorder.problems.join()).toContain('did not come from the shim');
  });

  it('by a script that was mounted over it for a moment, which is noticed', async ({ skip }) => {
    await using tool = await CoveredTool.open(tier);
    const inside = 'unshare --user --map-root-user --mount';
    skip((await tool.run(`${inside} true`)).exitCode !== 0, 'this machine makes no user namespaces in this tier');
    const shim = join(tool.folder, 'recorder', 'shims', '0', 'perl-shim');
    const { stdout } = await tool.run(`
      sed 's/my .*patience) = .*/&system("umount", "-l", $set{path});/' ${shim} >changed; chmod +x changed
      ${inside} sh -c 'mount --bind changed ${shim}; "$T" echo reached'
    `);
    expect(stdout).toBe('reached\n');
    expect(await tool.recorded()).toEqual(['echo reached']);
    expect(tool.recorder.doubts.join()).toMatch(forged);
  });

  it('by killing its server, which cannot be seen', async () => {
    await using tool = await CoveredTool.open(tier);
    await tool.run(`for p in /proc/[0-9]*; do p=\${p#/proc/}; [ $p -ne $$ ] && [ $p -ne 1 ] && kill -9 $p; done; :`);
    await tool.run('tool echo recorded');
    expect(await tool.recorded()).toEqual(['echo recorded']);
    expect(tool.recorder.doubts).toEqual([]);
  });
});

describe.each(tiers)('in the tier %s records', (tier) => {
  it('do not change the name by which the tool is called', async ({ skip }) => {
    skip(stubOf(process.platform, process.arch) === undefined, 'the kernel drops the name of a script');
    await using tool = await CoveredTool.open(tier);
    const { stderr } = await tool.run(
      `bash -c 'exec -a other tool --bogus'; tool --bogus; "$(command -v tool)" --bogus`,
    );
    const names = stderr.split('\n').flatMap((line) => /^(.*): unrecognized option/.exec(line)?.[1] ?? []);
    expect(names).toEqual(['other', 'tool', tier === 'none' ? join(tool.recorder.binFolder, 'tool') : tool.path]);
    expect(await tool.recorded()).toEqual(['--bogus', '--bogus', '--bogus']);
  });

  it('cannot be added by a process that is not the shim', async () => {
    await using tool = await CoveredTool.open(tier);
    const { stdout } = await tool.run(`tool echo real; ${forgery}; echo forged`);
    expect(stdout).toBe('real\nforged\n');
    expect(await tool.recorded()).toEqual(['echo real']);
    expect(tool.recorder.problems).toContain(
      '1 connections to the recorder did not come from the shim and were refused',
    );
    expect(tool.recorder.doubts).toEqual([]);
  });

  it('cannot be added by a changed copy of the shim', async () => {
    await using tool = await CoveredTool.open(tier);
    const shim = join(tool.folder, 'recorder', 'shims', '0', 'perl-shim');
    await tool.run(
      `sed 's/\\$status >> 8/0/' ${shim} >copy; chmod +x copy; ./copy x sh -c 'exit 3'; perl copy x false`,
    );
    expect(await tool.recorded()).toEqual([]);
    expect(tool.recorder.problems.join()).toContain('did not come from the shim');
  });

  it('do not count as nested because of a variable, only by descent', async () => {
    await using tool = await CoveredTool.open(tier);
    await tool.run(
      `ASSAY_RECORDER=tool tool false; tool sh -c 'tool true; :'; tool sh -c 'tool true; :' & wait; tool true`,
    );
    await tool.recorder.finish();
    const calls = tool.invocations.map(({ argv, isNested }) => `${argv[1]} ${isNested}`).sort();
    expect(calls).toEqual(['false false', 'sh false', 'sh false', 'true false', 'true true', 'true true']);
  });

  it.each([
    ['a preloaded library', 'LD_PRELOAD=./evil.so tool true 2>/dev/null'],
    ['a library folder', 'LD_LIBRARY_PATH=$PWD tool true'],
    ['an option of perl', 'PERL5OPT=-w perl "$SHIM" x true'],
  ])('are in doubt where the shim ran with %s', async (_name, script) => {
    await using tool = await CoveredTool.open(tier);
    await tool.run(`SHIM=${join(tool.folder, 'recorder', 'shims', '0', 'perl-shim')}; ${script}`);
    expect(await tool.recorded()).toEqual(['true']);
    expect(tool.recorder.doubts.join()).toMatch(forged);
  });

  it('are in doubt where the shim was traced', async ({ skip }) => {
    await using tool = await CoveredTool.open(tier);
    skip((await tool.run('strace -V')).exitCode !== 0, 'there is no strace(1)');
    skip((await tool.run('strace -o /dev/null true')).exitCode !== 0, 'nothing can be traced here');
    await tool.run('strace -f -o /dev/null tool true; stdbuf -oL tool echo buffered');
    expect(await tool.recorded()).toEqual(['true', 'echo buffered']);
    expect(tool.recorder.doubts).toEqual([expect.stringMatching(/^1 invocations were traced/)]);
  });

  it('are kept while the socket is flooded and connections are held open', async () => {
    await using tool = await CoveredTool.open(tier);
    const { stdout } = await tool.run(`
      perl -e '
        $SIG{PIPE} = "IGNORE";
        for (1 .. 1500) { socket(my $s, 1, 1, 0); connect($s, pack("S a* x", 1, $ENV{SOCKET})); push @held, $s; }
        syswrite($_, "S" . pack("NN", 4e9, 4e9) . "x" x 65536) for splice @held, 0, 300;
        open(my $ready, ">", "ready"); sleep 600' &
      until [ -e ready ]; do sleep 0.02; done
      for i in 1 2 3 4 5; do tool echo $i; done; kill $!`);
    expect(stdout).toBe('1\n2\n3\n4\n5\n');
    expect(await tool.recorded()).toEqual(['echo 1', 'echo 2', 'echo 3', 'echo 4', 'echo 5']);
    expect(tool.recorder.doubts).toEqual([]);
  });

  it('hold the beginning of enormous arguments', async () => {
    await using tool = await CoveredTool.open(tier);
    await tool.run(`x=$(head -c 100000 /dev/zero | tr '\\0' x); tool true "$x" "$x" "$x" "$x" "$x"`);
    expect((await tool.recorded()).join('')).toMatch(/^true x{60000,70000} … 4\d{5} bytes left out …$/);
  });

  it('show a call that was killed, with its tool', async () => {
    await using tool = await CoveredTool.open(tier);
    // A tool that does not start, or is not ended, must show why instead of being waited for.
    const { stdout, stderr } = await tool.run(`
      tool sh -c 'echo $$ >pid; exec sleep 600' & until [ -s pid ] || ! kill -0 $!; do sleep 0.02; done
      kill -9 $!; wait $!; echo =$?
      read -r pid <pid
      for i in $(seq 100); do [ -d /proc/$pid ] && ! grep -q '^State:.Z' /proc/$pid/status || break; sleep 0.05; done
      [ $i -lt 100 ] && echo ended`);
    expect({ stdout, stderr, problems: tool.recorder.problems }).toMatchObject({
      stdout: '=137\nended\n',
      problems: [],
    });
    await tool.recorder.finish();
    expect(tool.invocations).toMatchObject([{ exitCode: null, signal: 'SIGKILL' }]);
    expect(tool.invocations[0]).not.toHaveProperty('cutShortBy');
  });

  it('of many concurrent calls are complete', async () => {
    await using tool = await CoveredTool.open(tier);
    const count = repetitions({ usual: 60, inFull: 320 });
    await tool.run(`for i in $(seq ${count}); do tool sh -c "exit $((i % 256))" & done; wait`);
    expect(await tool.recorded()).toHaveLength(count);
    const sum = tool.invocations.reduce((total, { exitCode }) => total + (exitCode ?? 0), 0);
    expect(sum).toBe(Array.from({ length: count }, (_, index) => (index + 1) % 256).reduce((a, b) => a + b, 0));
  });
});

describe('in the tier none, where nothing can be hidden, it is noticed', () => {
  it.each([
    ['the shim is replaced', 'mv "$SHIM" away; ln -s /bin/true "$SHIM"'],
    ['the shim is moved away and back', 'mv "$SHIM" away; mv away "$SHIM"'],
    [
      'the shim is changed and again as it was',
      'cp -p "$SHIM" away; echo >>"$SHIM"; cat away >"$SHIM"; touch -r away "$SHIM"',
    ],
    ['the socket is removed', 'rm "$SOCKET"'],
    ['the socket is moved away and back', 'mv "$SOCKET" away; mv away "$SOCKET"'],
    ['the file on PATH is removed', 'rm "$(command -v tool)"'],
  ])('when %s', async (_name, script) => {
    await using tool = await CoveredTool.open('none');
    await tool.run(`SHIM=${join(tool.folder, 'recorder', 'shims', '0', 'perl-shim')}; ${script}`);
    await tool.recorder.finish();
    expect(tool.recorder.doubts.join()).toMatch(changed);
  });

  it('when its server is killed, and the tool works on', async () => {
    await using tool = await CoveredTool.open('none');
    const { stdout } = await tool.run(`${serverOf} kill -9 $server; tool echo works`);
    expect(stdout).toBe('works\n');
    await tool.recorder.finish();
    expect(tool.recorder.doubts).toEqual(['another process ended the recorder, so invocations may be missing']);
  });

  it('when its server is stopped for a while, and the call is recorded late', async () => {
    await using tool = await CoveredTool.open('none');
    const { stdout } = await tool.run(
      `${serverOf} kill -STOP $server; tool echo works & sleep 0.1; kill -CONT $server; wait`,
    );
    expect(stdout).toBe('works\n');
    expect(await tool.recorded()).toEqual(['echo works']);
    expect(tool.recorder.doubts).toEqual(['another process stopped the recorder, so invocations may be missing']);
  });
});

/** Finds the process that listens at the socket. */
const serverOf = `
  for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/cmdline 2>/dev/null | grep -qx "$SOCKET" && server=\${p#/proc/}; done;`;

/** Opens a recorder in the folder that it is given, says where it is, and holds it until it is killed. */
const holder = `
  import { runnerImport } from 'vite';
  const { openRecorder } = (await runnerImport(process.argv[1])).module;
  const tools = [{ name: 'tool', program: '/usr/bin/env' }];
  const request = { folder: process.argv[2], tools, canCover: false, onInvocation: () => undefined };
  process.stdout.write((await openRecorder(request)).binFolder);
  setInterval(() => undefined, 1_000);
`;

it('blocks no caller when the process with the recorder is killed', async () => {
  await using tool = await RecordedTool.open();
  const folder = join(tool.folder, 'held');
  await mkdir(folder);
  const here = import.meta.dirname;
  const held = spawn('node', ['--input-type=module', '-e', holder, join(here, 'open-recorder.ts'), folder], {
    cwd: here,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await once(held.stdout, 'data');
  const shim = join(String(printed), 'tool');
  const running = tool.start(`exec ${shim} sh -c 'echo ready; cat; exit 6'`);
  await once(running.stdout ?? running, 'data');
  held.kill('SIGKILL');
  await once(held, 'exit');
  running.stdin?.end('on');
  expect(await once(running, 'exit')).toEqual([6, null]);
  expect(await tool.run(`${shim} sh -c 'seq 100000; exit 5' | tail -1`)).toMatchObject({
    stdout: '100000\n',
    stderr: '',
  });
});
