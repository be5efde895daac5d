import { AssayError } from '../../../../domain/errors.ts';
import type { SuiteTest, SuiteTestOf } from '../../../../domain/mcp/suite-tests.ts';
import { faultOf } from '../../../../domain/outcome.ts';
import type { ServerUsage } from '../../../../domain/server-performance.ts';
import { errorOfAnswer } from '../../../mcp/result-losses.ts';
import type { McpAnswer, McpRequestOptions, McpSession } from '../../../mcp/session.ts';
import type { ServerMonitor } from './server-monitor.ts';

type Repeated = Pick<ServerUsage, 'repeated' | 'memory' | 'fault'>;

/** Memory after repeated calls is kept for at most this many of them. */
const mostPoints = 500;

interface ToolTally {
  readonly tool: string;
  readonly latenciesMs: number[];
  failed: number;
  firstError?: string;
}

/** Calls the tools of the tests again, one call after the other, and notes times and memory. */
export async function repeatCalls(
  tests: readonly SuiteTest[],
  times: number,
  server: {
    /** A session that works: a test may have broken the one before. */
    working(): Promise<McpSession>;
    readonly monitor: ServerMonitor;
    readonly limits: McpRequestOptions;
  },
): Promise<Repeated> {
  const repeatable = tests.filter(isRepeatable);
  const total = repeatable.length * times;
  const keepEvery = Math.ceil(total / mostPoints);
  const tallies = new Map<string, ToolTally>();
  const memory: ServerUsage['memory'] = [];
  let fault: ServerUsage['fault'] = null;
  try {
    const session = total > 0 ? await server.working() : undefined;
    for (let call = 1; session && call <= total; call++) {
      const { name, args } = (repeatable[(call - 1) % repeatable.length] as SuiteTestOf<'tool'>).spec;
      note(tallyOf(tallies, name), await session.callTool(name, args, server.limits));
      const rssBytes = server.monitor.sample();
      if (rssBytes !== undefined && call % keepEvery === 0) memory.push({ call, rssBytes });
    }
  } catch (thrown) {
    if (!(thrown instanceof AssayError) || server.limits.signal?.aborted) throw thrown;
    fault = faultOf(thrown);
  }
  return { repeated: [...tallies.values()], memory, fault };
}

/** A call that is meant to fail shows neither how fast the tool is nor what memory it needs. */
function isRepeatable(test: SuiteTest): test is SuiteTestOf<'tool'> {
  return test.form === 'tool' && test.spec.expectedError === undefined;
}

function tallyOf(tallies: Map<string, ToolTally>, tool: string): ToolTally {
  const tally = tallies.get(tool) ?? { tool, latenciesMs: [], failed: 0 };
  tallies.set(tool, tally);
  return tally;
}

function note(tally: ToolTally, answer: McpAnswer): void {
  const error = errorOfAnswer(answer);
  if (error === undefined) tally.latenciesMs.push(answer.latencyMs);
  else {
    tally.failed++;
    tally.firstError ??= error.message.slice(0, 500);
  }
}
