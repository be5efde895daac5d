import * as z from 'zod';
import type { ScriptEnd } from '../../../domain/gate.ts';
import { parseExactJson } from '../../../shared/exact-json.ts';
import { excerptOf } from '../excerpt.ts';
import { compilePathAssertion } from '../json-assertion.ts';
import { commandConfig, defineGate, GateFailure, passed, pattern, substring } from './gate.ts';
import { outputOf, quoted, runToSuccess } from './run-command.ts';
import { assertUsablePattern, checkContains, checkMatches } from './text-check.ts';

export const commandSucceeds = defineGate({
  type: 'command_succeeds',
  summary: 'a shell command in the work directory exits with 0',
  example: { command: 'npm test' },
  configSchema: commandConfig,
  async check(config, context) {
    await runToSuccess(config, context);
    return passed(`${quoted(config.command)} exited with 0`);
  },
});

export const commandOutputContains = defineGate({
  type: 'command_output_contains',
  summary: 'a shell command exits with 0 and its stdout contains a text',
  example: { command: 'tasks list', substring: 'Buy milk' },
  configSchema: () => commandConfig().extend({ substring: substring() }),
  async check(config, context) {
    return checkContains(outputOf(config.command, await runToSuccess(config, context)), config.substring);
  },
});

export const commandOutputMatches = defineGate({
  type: 'command_output_matches',
  summary: 'a shell command exits with 0 and its stdout matches a regular expression',
  example: { command: 'tasks list', pattern: '\\d+ open' },
  configSchema: () => commandConfig().extend({ pattern: pattern() }),
  async check(config, context) {
    assertUsablePattern(config.pattern);
    return checkMatches(outputOf(config.command, await runToSuccess(config, context)), config.pattern);
  },
});

export const commandJsonPath = defineGate({
  type: 'command_json_path',
  label: 'Command JSON path',
  summary: 'a shell command exits with 0, and the value at a JSONPath of its JSON meets an assertion',
  example: { command: 'tasks list --json', path: '$.tasks', assertion: 'len >= 2' },
  configSchema: () =>
    commandConfig().extend({
      path: z.string().describe('JSONPath (RFC 9535) into the JSON that the command prints'),
      assertion: z.string().describe('exists, equals, contains, matches, len or a comparison with a number'),
    }),
  async check(config, context) {
    // Mistakes in the config are found before the command runs.
    const check = await compilePathAssertion(config);
    return check(jsonOf(await runToSuccess(config, context)));
  },
});

function jsonOf({ stdout }: ScriptEnd): unknown {
  const notJson = (why: string): GateFailure => new GateFailure(`Command output is not valid JSON: ${why}`);
  if (stdout.truncatedBytes > 0) throw notJson(`it is so long that ${stdout.truncatedBytes} bytes were left out`);
  if (stdout.text.trim() === '') throw notJson('it is empty');
  try {
    return parseExactJson(stdout.text);
  } catch (error) {
    const reason = error instanceof RangeError ? 'it is nested too deeply' : 'it does not parse';
    throw notJson(`${reason}; it is ${excerptOf(stdout.text)}`);
  }
}
