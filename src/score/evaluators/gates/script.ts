import { shortened } from '../excerpt.ts';
import { commandConfig, defineGate, GateFailure, type GateVerdict } from './gate.ts';
import { failureOf, judgedEnd, quoted } from './run-command.ts';
import { fitsInRecord, printedObject } from './script-output.ts';

/** The script decides by the JSON that it prints, or else by its exit code. */
export const script = defineGate({
  type: 'script',
  summary: 'a script exits with 0, or prints {"passed": true}',
  example: { command: './check.sh' },
  configSchema: commandConfig,
  async check(config, context) {
    const purpose = config.description?.trim() || undefined;
    const withPurpose = (message: string) => (purpose === undefined ? message : `${purpose}: ${message}`);
    const command = quoted(config.command);
    try {
      const end = await judgedEnd(config, context);
      const printed = end.timedOut || end.stdout.truncatedBytes > 0 ? undefined : printedVerdict(end.stdout.text);
      if (printed) {
        return { ...printed, message: printed.message ?? purpose ?? `${command} printed "passed": ${printed.passed}` };
      }
      const failure = failureOf(config, end);
      return { passed: !failure, message: withPurpose(failure ?? `${command} exited with 0`) };
    } catch (error) {
      if (error instanceof GateFailure) return { passed: false, message: withPurpose(error.message) };
      throw error;
    }
  },
});

function printedVerdict(stdout: string): (Omit<GateVerdict, 'message'> & { readonly message?: string }) | undefined {
  const { passed, message, detail } = printedObject(stdout) ?? {};
  if (typeof passed !== 'boolean') return undefined;
  return {
    passed,
    ...(typeof message === 'string' && message.trim() !== '' && { message: shortened(message) }),
    ...(detail !== undefined && { detail: fitsInRecord(detail) ? detail : 'left out: it is too large or too deep' }),
  };
}
