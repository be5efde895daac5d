import type * as z from 'zod';
import type { ScriptEnd } from '../../../../drive/workspace/run-script.ts';
import { parseExactJson } from '../../../../shared/exact-json.ts';
import { compileJsonPath } from '../../../../shared/json-path/json-path.ts';
import { JsonPathError } from '../../../../shared/json-path/json-path-walk.ts';
import { failed, type GateCheck, type GateContext, type GateVerdict } from '../gate.ts';
import type { jsonPathConfig } from '../gate-configs.ts';
import { InvalidAssertion, parseAssertion } from './assertion.ts';
import { checkAssertion } from './check-assertion.ts';
import { excerptOf, shortened } from './excerpt.ts';
import { runToSuccess } from './run-command.ts';

type Config = z.output<ReturnType<typeof jsonPathConfig>>;

/** Output that is no JSON; says why. */
class NotJson extends Error {}

/** How the gate `command_json_path` looks at the work. */
export const checkCommandJsonPath: GateCheck<typeof jsonPathConfig> = async (config, context) => {
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
};

/** What is written wrong is found before the command runs. */
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
