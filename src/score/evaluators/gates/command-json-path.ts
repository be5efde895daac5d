import * as z from 'zod';
import type { ScriptEnd } from '../../../domain/gate.ts';
import { parseExactJson } from '../../../shared/exact-json.ts';
import { compileJsonPath } from '../../../shared/json-path/json-path.ts';
import { JsonPathError } from '../../../shared/json-path/json-path-walk.ts';
import { excerptOf, shortened } from '../excerpt.ts';
import { checkAssertion, InvalidAssertion, parseAssertion } from '../json-assertion.ts';
import { commandConfig, defineGate, failed, type GateContext, type GateVerdict } from './gate.ts';
import { runToSuccess } from './run-command.ts';

const configSchema = () =>
  commandConfig().extend({
    path: z.string().describe('JSONPath (RFC 9535) into the JSON that the command prints'),
    assertion: z.string().describe('exists, equals, contains, matches, len or a comparison with a number'),
  });

type Config = z.output<ReturnType<typeof configSchema>>;

export const commandJsonPath = defineGate({
  type: 'command_json_path',
  label: 'Command JSON path',
  summary: 'a shell command exits with 0, and the value at a JSONPath of its JSON meets an assertion',
  example: { command: 'tasks list --json', path: '$.tasks', assertion: 'len >= 2' },
  configSchema,
  check: checkCommand,
});

/** Why output is not JSON. */
class NotJson extends Error {}

async function checkCommand(config: Config, context: GateContext): Promise<GateVerdict> {
  try {
    return await checkOutput(config, context);
  } catch (error) {
    if (error instanceof InvalidAssertion) {
      return failed(`Invalid assertion '${shortened(config.assertion)}': ${error.message}`);
    }
    if (error instanceof JsonPathError) {
      return failed(`Invalid JSON path '${shortened(config.path)}': ${error.message}`);
    }
    if (error instanceof NotJson) return failed(`Command output is not valid JSON: ${error.message}`);
    throw error;
  }
}

/** Mistakes in the config are found before the command runs. */
async function checkOutput(config: Config, context: GateContext): Promise<GateVerdict> {
  const assertion = parseAssertion(config.assertion);
  const path = await compileJsonPath(config.path);
  const end = await runToSuccess(config, context);
  if (typeof end === 'string') return failed(end);
  const values = path.select(jsonOf(end));
  const { passed, message } = checkAssertion(assertion, { isSingular: path.isSingular, values });
  return { passed, message: `${shortened(config.path)}: ${message}` };
}

function jsonOf({ stdout }: ScriptEnd): unknown {
  if (stdout.truncatedBytes > 0) throw new NotJson(`it is so long that ${stdout.truncatedBytes} bytes were left out`);
  if (stdout.text.trim() === '') throw new NotJson('it is empty');
  try {
    return parseExactJson(stdout.text);
  } catch (error) {
    const reason = error instanceof RangeError ? 'it is nested too deeply' : 'it does not parse';
    throw new NotJson(`${reason}; it is ${excerptOf(stdout.text)}`);
  }
}
