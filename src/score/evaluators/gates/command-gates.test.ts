import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask, createWork, gateResult, messageOf, type Work } from '../../../testing/fakes/score/work.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';
import type { EvaluationContext, Evaluator } from '../evaluator.ts';
import { commandJsonPath, commandOutputContains, commandOutputMatches, commandSucceeds } from './command-gates.ts';
import { script } from './script.ts';

/** Each gate that runs a command, with what it needs to pass for `echo '{"passed": true}'`. */
const commandGates: readonly [Evaluator, object][] = [
  [commandSucceeds, {}],
  [commandOutputContains, { substring: 'passed' }],
  [commandOutputMatches, { pattern: 'passed' }],
  [commandJsonPath, { path: '$.passed', assertion: 'equals true' }],
  [script, { description: 'All is well' }],
];

function childrenOf(work: Work): string[] {
  return readFileSync(join(work.directory, 'pids'), 'utf8').trim().split('\n');
}

function isAlive(pid: string): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe.each(commandGates.map(([gate, config]) => [gate.type, gate, config] as const))('%s', (type, gate, config) => {
  it('passes, in the work directory and with the environment of the trial only', async () => {
    await using work = await createWork();
    await writeFile(join(work.directory, 'here.json'), '{"passed": true}');
    const command = '[ "$GREETING" = hello ] && [ -z "$HOME" ] && cat here.json';
    const result = await gateResult(gate, { ...config, command }, work.context);
    expect(result).toMatchObject({ gate_type: type, passed: true });
  });

  it.each(['', '  \n'])('fails on the blank command %j', async (command) => {
    expect(await messageOf(gate, { ...config, command })).toContain('Empty command');
  });

  it('fails when the command hangs, and ends it with all that it started', async () => {
    await using work = await createWork();
    const command = 'trap "" TERM; echo started; (setsid sleep 60 & echo $! > pids); echo $$ >> pids; sleep 60';
    const result = await gateResult(gate, { ...config, command, timeout_secs: 2, runs: 'work' }, work.context);
    expect(result).toMatchObject({ passed: false, message: expect.stringContaining('did not end within 2 s') });
    expect(result.message).toContain('started');
    expect(childrenOf(work).filter(isAlive)).toEqual([]);
  });

  it('fails when the command hangs and has printed what was wanted', async () => {
    const command = `echo '{"passed": true}'; sleep 60`;
    expect(await messageOf(gate, { ...config, command, timeout_secs: 0.2, runs: 'work' })).toContain(
      'did not end within 0.2 s',
    );
  });

  it('fails when the command is not there, ends by a signal or cannot be started', async () => {
    const missing = { ...config, command: 'no-such-tool-here', runs: 'work' };
    expect(await messageOf(gate, missing)).toMatch(/fail: .*exited with 127/);
    expect(await messageOf(gate, { ...config, command: 'kill -9 $$' })).toMatch(/fail: .*was ended by SIGKILL/);
    expect(await messageOf(gate, { ...config, command: 'echo a\0b' })).toMatch(/fail: .*null character/);
    const huge = `echo ${'a'.repeat(3_000_000)}`;
    expect(await messageOf(gate, { ...config, command: huge })).toMatch(/fail: .*too long for a command line/);
  });

  it.each([
    ['no-such-tool-here', 'not found'],
    ['sh ./nothere.sh', 'nothere.sh'],
    ['python3 nothere.py', 'nothere.py'],
    ['node nothere.mjs', 'nothere.mjs'],
    ['./locked.sh', 'Permission denied'],
    ['sh broken.sh', 'Syntax error'],
    ['python3 broken.py', 'SyntaxError'],
    ['node broken.mjs', 'SyntaxError'],
    ['if true', 'Syntax error'],
  ])('does not judge by %s, which cannot run', async (command, reason) => {
    await using work = await createWork();
    const files = {
      'locked.sh': '#!/bin/sh\n',
      'broken.sh': 'if true\n',
      'broken.py': 'def (\n',
      'broken.mjs': 'let = ;\n',
    };
    for (const [name, text] of Object.entries(files))
      await writeFile(join(work.directory, name), text, { mode: 0o644 });
    await expect(ask(gate, { ...config, command }, work.context)).rejects.toMatchObject({
      code: 'GRADER_FAILED',
      blame: 'user',
      message: expect.stringContaining(reason),
    });
  });

  it('does not judge by a command that takes too long', async () => {
    await using work = await createWork();
    const verdict = ask(gate, { ...config, command: 'sleep 60', timeout_secs: 0.2 }, work.context);
    await expect(verdict).rejects.toMatchObject({ code: 'GRADER_FAILED', blame: 'user' });
  });

  it.each(['sh check.sh', 'cat made', 'test -f made && ./made', 'grep -q x made'])(
    'judges by %s, whose own files are there',
    async (command) => {
      await using work = await createWork();
      await writeFile(join(work.directory, 'check.sh'), './made-by-the-agent\n');
      expect(await gateResult(gate, { ...config, command }, work.context)).toMatchObject({ passed: false });
    },
  );

  it('fails when the agent removed its work directory', async () => {
    await using work = await createWork();
    await rm(work.directory, { recursive: true });
    const result = await gateResult(gate, { ...config, command: `echo '{"passed": true}'` }, work.context);
    expect(result).toMatchObject({ passed: false, message: expect.stringContaining('does not exist') });
  });

  it('gives no verdict when the run is stopped meanwhile', async () => {
    await using work = await createWork();
    const stop = new AbortController();
    const context: EvaluationContext = { ...work.context, signal: stop.signal };
    const answer = ask(gate, { ...config, command: 'sleep 60' }, context);
    stop.abort();
    await expect(answer).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  it('takes a description and a time limit, and refuses what it does not know', () => {
    const given = { ...config, command: 'true' };
    expect(gate.configSchema.safeParse({ ...given, description: 'why', timeout_secs: 5 }).success).toBe(true);
    expect(gate.configSchema.safeParse({ ...given, timeout: 5 }).success).toBe(false);
    expect(gate.configSchema.safeParse({ ...given, timeout_secs: 0 }).success).toBe(false);
    expect(gate).toMatchObject({ kind: 'assertion', isGate: true, needs: ['workspace'] });
  });
});

describe.each(commandGates.slice(0, 4).map(([gate, config]) => [gate.type, gate, config] as const))(
  '%s and exit codes',
  (_type, gate, config) => {
    it('fails on an exit code other than 0, whatever was printed', async () => {
      const command = `echo '{"passed": true}'; echo boom >&2; exit 3`;
      const message = await messageOf(gate, { ...config, command });
      expect(message).toMatch(/^fail: .* exited with 3, wanted exit code 0; stdout: .*passed.*; stderr: "boom"$/);
    });
  },
);

describe('what a command prints', () => {
  const bytes = repetitions({ usual: 20_000_000, inFull: 100_000_000 });
  const flood = `head -c ${bytes} /dev/zero | tr "\\0" x`;

  it('may be binary', async () => {
    const command = `printf '\\377\\376\\033[2J\\000wanted\\200'`;
    expect(await messageOf(commandSucceeds, { command })).toMatch(/^pass/);
    expect(await messageOf(commandOutputContains, { command, substring: 'wanted' })).toMatch(/^pass/);
    expect(await messageOf(commandOutputContains, { command, substring: 'other' })).toMatch(/^fail: .*\uFFFD\[2J/);
    expect(await messageOf(commandOutputMatches, { command, pattern: 'other' })).toMatch(/^fail/);
    expect(await messageOf(commandJsonPath, { command, path: '$', assertion: 'exists' })).toContain('not valid JSON');
    expect(await messageOf(script, { command })).toMatch(/^pass/);
  });

  it('may be enormous, and the head and the tail are looked at', async () => {
    const command = `echo start; ${flood}; echo end`;
    expect(await messageOf(commandSucceeds, { command })).toMatch(/^pass/);
    expect(await messageOf(commandOutputContains, { command, substring: 'start' })).toMatch(/^pass/);
    expect(await messageOf(commandOutputContains, { command, substring: 'end' })).toMatch(/^pass/);
    const missed = await messageOf(commandOutputContains, { command, substring: 'bytes left out' });
    expect(missed).toMatch(/^fail: .*\d+ bytes of it were left out/);
    expect(await messageOf(commandOutputMatches, { command, pattern: 'start' })).toMatch(/^fail: .*were left out/);
    expect(await messageOf(commandJsonPath, { command, path: '$', assertion: 'exists' })).toMatch(/so long/);
    expect(await messageOf(script, { command })).toMatch(/^pass/);
  }, 60_000);

  it('on standard error is not looked at', async () => {
    const command = 'echo wanted >&2';
    expect(await messageOf(commandOutputContains, { command, substring: 'wanted' })).toMatch(/^fail: .*it is empty/);
    expect(await messageOf(commandOutputMatches, { command, pattern: 'wanted' })).toMatch(/^fail: .*it is empty/);
    expect(await messageOf(commandJsonPath, { command, path: '$', assertion: 'exists' })).toContain('it is empty');
  });
});

describe('command_output_matches', () => {
  it('fails on an invalid pattern without running the command', async () => {
    await using work = await createWork();
    const config = { command: 'touch ran', pattern: '(unclosed' };
    const { passed, message } = await gateResult(commandOutputMatches, config, work.context);
    expect([passed, message]).toEqual([false, expect.stringContaining("Invalid regex pattern '(unclosed': ")]);
    await expect(rm(join(work.directory, 'ran'))).rejects.toThrow('ENOENT');
  });

  it('survives patterns that explode elsewhere', async () => {
    const command = 'head -c 1000000 /dev/zero | tr "\\0" a; echo !';
    expect(await messageOf(commandOutputMatches, { command, pattern: '(a+)+$' })).toMatch(/^fail/);
    expect(await messageOf(commandOutputMatches, { command, pattern: '(a|aa)+!' })).toMatch(/^pass/);
    const costly = await messageOf(commandOutputMatches, { command, pattern: '(?:.{1,40}\\b){1,20}\\n$' });
    expect(costly).toMatch(/^fail: .*too large for a text/);
  });
});
