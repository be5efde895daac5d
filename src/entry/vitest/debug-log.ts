import { secretRedaction } from '../../compose/run/redaction.ts';

/** Tells what happens to a server under test; does nothing unless it is wanted. */
export type DebugLog = (message: () => string) => void;

const longestLine = 2_000;

/** Whether the variable VITEST_MCP_DEBUG asks to be told: 1, true, yes or on. */
export function isDebugAsked(): boolean {
  return /^(?:1|true|yes|on)$/i.test(process.env.VITEST_MCP_DEBUG ?? '');
}

/** Tells on stderr, without secrets, when the test or the environment asks for it. */
export function debugLog(isWanted: boolean): DebugLog {
  if (!isWanted && !isDebugAsked()) return () => undefined;
  const { env, stderr } = process;
  const redact = secretRedaction(env);
  return (message) => {
    const line = redact(message());
    stderr.write(`[assay] ${line.length > longestLine ? `${line.slice(0, longestLine - 1)}…` : line}\n`);
  };
}
