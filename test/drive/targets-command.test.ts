import { describe, expect, it } from 'vitest';
import { type DirectCall, endings, printedIn, runCalls } from '../../src/testing/support/direct-calls.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

function commands(lines: Readonly<Record<string, string>>): Record<string, DirectCall> {
  return Object.fromEntries(Object.entries(lines).map(([name, command]) => [name, { call: { command } }]));
}

describe('a command target', () => {
  it('gets the input on stdin and answers on stdout, in the folder of the scenario file', async () => {
    const folder = await temporaryFolder({ 'deep/inside/here.json': '{ "here": true }' });
    const run = await runCalls(folder, {
      'deep/inside/echo': { call: { command: 'cat' }, input: { text: 'häé', list: [1, null] } },
      'deep/inside/reads': { call: { command: 'cat here.json' } },
    });
    expect(run.tried['deep/inside/echo']?.result).toEqual({ text: 'häé', list: [1, null] });
    expect(run.tried['deep/inside/reads']?.result).toEqual({ here: true });
    expect(run.exitCode).toBe(0);
  });

  it('takes a non-zero exit code as an answer, with what the program said', async () => {
    const folder = await temporaryFolder();
    const run = await runCalls(
      folder,
      commands({
        nested: `echo '{ "error": { "message": "no such row", "code": "E_ROW" } }'; exit 3`,
        flat: `echo '{ "message": "no such row", "row": 7 }'; exit 1`,
        text: `echo '{ "error": "no such row" }'; exit 1`,
        stderr: 'echo first >&2; echo last >&2; exit 2',
        stdout: 'echo not json; exit 2',
        silent: 'exit 255',
      }),
    );
    const errors = Object.fromEntries(Object.entries(run.tried).map(([name, { error }]) => [name, error]));
    expect(errors).toEqual({
      nested: { message: 'no such row', code: 'E_ROW', exitCode: 3 },
      flat: { message: 'no such row', row: 7, exitCode: 1 },
      text: { message: 'no such row', exitCode: 1 },
      stderr: { message: 'last', exitCode: 2 },
      stdout: { message: 'not json', exitCode: 2 },
      silent: { message: 'exit code 255', exitCode: 255 },
    });
    expect(run).toMatchObject({ exitCode: 0, totals: { pass: 6 } });
  });

  it('tells apart all the ways of not answering', async () => {
    const folder = await temporaryFolder({ 'not-executable': '#!/bin/sh\necho 1\n' });
    const run = await runCalls(folder, {
      ...commands({
        killed: 'kill -KILL $$',
        'killed-inside': `sh -c 'kill -SEGV $$'; exit $?`,
        text: 'echo hello',
        silent: 'true',
        'json-then-junk': `echo '{ "ok": true }'; echo done`,
        binary: `printf '\\377\\376\\000\\001'`,
        'too-large': 'head -c 10000001 /dev/zero',
        'not-found': 'no-such-program-anywhere',
        'not-executable': './not-executable',
      }),
      slow: { call: { command: 'sleep 600' }, timeoutSecs: 0.3 },
    });
    expect(endings(run)).toEqual({
      killed: 'TARGET_CRASHED',
      'killed-inside': 'TARGET_CRASHED',
      text: 'TARGET_OUTPUT_NOT_JSON',
      silent: 'TARGET_OUTPUT_NOT_JSON',
      'json-then-junk': 'TARGET_OUTPUT_NOT_JSON',
      binary: 'TARGET_OUTPUT_NOT_JSON',
      'too-large': 'TARGET_OUTPUT_TOO_LARGE',
      'not-found': 'TARGET_NOT_LOADED',
      'not-executable': 'TARGET_NOT_LOADED',
      slow: 'TARGET_TIMEOUT',
    });
    expect(run.tried.killed?.reason).toBe('The command was ended by SIGKILL.');
    expect(run.tried['killed-inside']?.reason).toBe('The command was ended by SIGSEGV.');
    expect(run.tried.silent?.reason).toBe('The command did not print JSON: stdout is empty');
    expect(run.tried.text?.reason).toBe('The command did not print JSON: "hello"');
    expect(run.tried['not-found']?.reason).toContain('no-such-program-anywhere');
    expect(printedIn(run.tried['json-then-junk']?.trace ?? [], 'stdout')).toBe('{ "ok": true }\ndone\n');
    expect(run).toMatchObject({ exitCode: 3, totals: { planned: 10, pass: 0, fail: 0, error: 10, skipped: 0 } });
  });

  it('keeps the head and the tail of a long stderr', async () => {
    const folder = await temporaryFolder();
    const run = await runCalls(
      folder,
      commands({ it: 'echo first >&2; yes | head -c 300000 >&2; echo last >&2; echo 1' }),
    );
    const stderr = run.tried.it?.trace.find((event) => event.type === 'output');
    expect(stderr).toMatchObject({ channel: 'stderr', truncatedBytes: 300_011 - 2 * 16_384 });
    expect(printedIn(run.tried.it?.trace ?? [], 'stderr')).toMatch(/^first\ny\n.*bytes left out.*y\nlast\n$/s);
  });

  it('does not mind a program that ends without reading a long input', async () => {
    const folder = await temporaryFolder();
    const input = { text: 'x'.repeat(3_000_000) };
    const run = await runCalls(folder, { it: { call: { command: 'echo 1' }, input } });
    expect(run).toMatchObject({ exitCode: 0, tried: { it: { result: 1 } } });
  });

  it('expands variables in its environment, and refuses one that is not set', async () => {
    const folder = await temporaryFolder();
    const command = `printf '"%s"' "$GREETING"`;
    const run = await runCalls(
      folder,
      {
        set: { call: { command, env: { GREETING: 'hello ${NAME_OF_TEST}' } } },
        unset: { call: { command, env: { GREETING: 'hello ${NOT_SET_ANYWHERE}' } } },
      },
      { env: { NAME_OF_TEST: 'you' } },
    );
    expect(run.tried.set?.result).toBe('hello you');
    expect(run.tried.unset).toMatchObject({
      outcome: 'error',
      reason: 'The environment variable GREETING needs NOT_SET_ANYWHERE, which is not set.',
      fault: { code: 'TARGET_NOT_LOADED', blame: 'user' },
    });
    expect(run.exitCode).toBe(3);
  });

  it.runIf(process.platform === 'linux')('stays small when a program prints a gigabyte', async () => {
    const folder = await temporaryFolder();
    const command = 'head -c 1000000000 /dev/zero; grep VmHWM /proc/$PPID/status >&2';
    const run = await runCalls(folder, { it: { call: { command }, timeoutSecs: 50 } });
    const { trace = [] } = run.tried.it ?? {};
    expect(endings(run)).toEqual({ it: 'TARGET_OUTPUT_TOO_LARGE' });
    expect(trace.findLast((event) => event.type === 'output')).toMatchObject({ truncatedBytes: expect.any(Number) });
    const peakKb = Number(/VmHWM:\s*(\d+) kB/.exec(printedIn(trace, 'stderr'))?.[1]);
    expect(peakKb).toBeLessThan(250_000);
    expect(printedIn(trace, 'stdout').length).toBeLessThan(40_000);
  });
});
