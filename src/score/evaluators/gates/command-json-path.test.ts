import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWork, gateResult, messageOf } from '../../../testing/fakes/score/work.ts';
import { commandJsonPath } from './command-gates.ts';

describe('command_json_path', () => {
  const list = `echo '[{"name": "a", "done": true}, {"name": "b\\u00fc", "done": null}]'`;

  it.each([
    ['$', 'len >= 2', 'pass: $: len is 2, wanted >= 2'],
    ['$', 'len >= 3', 'fail: $: len is 2, wanted >= 3'],
    ['$[0].name', 'equals a', 'pass: $[0].name: value is "a", wanted "a"'],
    ['$[1].name', 'contains ü', 'pass: $[1].name: value is "bü", wanted a text that contains "ü"'],
    ['$[*].name', 'equals ["a", "bü"]', 'pass: $[*].name: value is ["a","bü"], wanted ["a","bü"]'],
    ['$[1].done', 'exists', 'fail: $[1].done: value is null, wanted a value'],
    ['$[5].name', 'exists', 'fail: $[5].name: path not found, wanted a value'],
    ['$[?@.done == true]', 'len == 1', 'pass: $[?@.done == true]: len is 1, wanted == 1'],
    ['$[?@.done == "x"]', 'exists', 'fail: $[?@.done == "x"]: path not found, wanted a value'],
  ])('%s %s', async (path, assertion, message) => {
    expect(await messageOf(commandJsonPath, { command: list, path, assertion })).toBe(message);
  });

  it.each([
    [{ path: '$[' }, "Invalid JSON path '$['"],
    [{ path: 'count' }, "Invalid JSON path 'count': path must start with '$'"],
    [{ assertion: '$.count > 5' }, "Invalid assertion '$.count > 5': the path goes into `path`"],
    [{ assertion: 'matches [' }, "Invalid assertion 'matches [': the regular expression"],
    [{ assertion: '' }, "Invalid assertion '': it is empty"],
  ])('fails on %j without running the command', async (wrong, reason) => {
    await using work = await createWork();
    const config = { command: 'touch ran; echo 1', path: '$', assertion: 'exists', ...wrong };
    const { passed, message } = await gateResult(commandJsonPath, config, work.context);
    expect([passed, message]).toEqual([false, expect.stringContaining(reason)]);
    await expect(rm(join(work.directory, 'ran'))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['echo {oops', 'Command output is not valid JSON: it does not parse; it is "{oops"'],
    ['echo 1 2', 'Command output is not valid JSON'],
    [`printf '\\033[31m{}'`, 'Command output is not valid JSON'],
    ['true', 'Command output is not valid JSON: it is empty'],
    ['echo " "', 'Command output is not valid JSON: it is empty'],
  ])('fails on the output of %s', async (command, reason) => {
    expect(await messageOf(commandJsonPath, { command, path: '$', assertion: 'exists' })).toContain(`fail: ${reason}`);
  });

  it('looks into JSON of any depth and size, and never hangs', async () => {
    const deep = `awk 'BEGIN { for (i = 0; i < 200000; i++) printf "["; for (i = 0; i < 200000; i++) printf "]" }'`;
    expect(await messageOf(commandJsonPath, { command: deep, path: '$', assertion: 'len == 1' })).toMatch(/^pass/);
    expect(await messageOf(commandJsonPath, { command: deep, path: '$', assertion: 'equals 1' })).toMatch(
      /deeply nested/,
    );
    const wide = `awk 'BEGIN { printf "[0"; for (i = 1; i < 100000; i++) printf ",%d", i; printf "]" }'`;
    expect(await messageOf(commandJsonPath, { command: wide, path: '$', assertion: 'len == 100000' })).toMatch(/^pass/);
    const costly = await messageOf(commandJsonPath, {
      command: wide,
      path: '$[?count($[*]) > 1]',
      assertion: 'exists',
    });
    expect(costly).toMatch(/^fail: .*too much work/);
  });

  it('distinguishes integers beyond 2^53', async () => {
    const config = { command: 'echo 9007199254740993', path: '$' };
    expect(await messageOf(commandJsonPath, { ...config, assertion: 'equals 9007199254740993' })).toMatch(/^pass/);
    expect(await messageOf(commandJsonPath, { ...config, assertion: 'equals 9007199254740992' })).toMatch(/^fail/);
  });
});
