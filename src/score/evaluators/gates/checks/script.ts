import { isRecord } from '../../../../shared/json.ts';
import type { GateCheck, GateVerdict } from '../gate.ts';
import type { commandConfig } from '../gate-configs.ts';
import { shortened } from './excerpt.ts';
import { fitsInRecord } from './fits-in-record.ts';
import { CommandNotRun, failureOf, quoted, runCommand } from './run-command.ts';

/** How the gate `script` looks at the work. */
export const checkScript: GateCheck<typeof commandConfig> = async (config, context) => {
  const purpose = config.description?.trim() || undefined;
  const told = (message: string): string => (purpose === undefined ? message : `${purpose}: ${message}`);
  try {
    const end = await runCommand(config, context);
    const failure = failureOf(config, end);
    const said = end.timedOut || end.stdout.truncatedBytes > 0 ? undefined : verdictIn(end.stdout.text);
    if (said) return { ...said, message: said.message ?? purpose ?? saidWithoutWords(config.command, said.passed) };
    return { passed: !failure, message: told(failure ?? `${quoted(config.command)} exited with 0`) };
  } catch (error) {
    if (error instanceof CommandNotRun) return { passed: false, message: told(error.message) };
    throw error;
  }
};

function saidWithoutWords(command: string, passed: boolean): string {
  return `${quoted(command)} printed "passed": ${passed}`;
}

/** The verdict that a script printed; undefined for any other output. */
function verdictIn(stdout: string): (Omit<GateVerdict, 'message'> & { readonly message?: string }) | undefined {
  const said = parsedOrUndefined(stdout);
  if (!isRecord(said) || typeof said.passed !== 'boolean') return undefined;
  const { passed, message, detail } = said;
  return {
    passed,
    ...(typeof message === 'string' && message.trim() !== '' && { message: shortened(message) }),
    ...(detail !== undefined && { detail: fitsInRecord(detail) ? detail : 'left out: it is too large or too deep' }),
  };
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
