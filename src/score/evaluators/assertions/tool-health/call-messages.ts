import { AssayError } from '../../../../domain/errors.ts';
import type { SuiteTestOf } from '../../../../domain/mcp/suite-tests.ts';
import { logLevels } from '../../../../domain/mcp/suites.ts';
import { logHolds } from '../../../../domain/tools/tool-meaning.ts';
import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { exchangesOf, type ObservedTest } from './observed-tests.ts';
import { refuseAbsentFeature } from './reply-checks.ts';
import { errorInWords, fail, type Judged, jsonText, pass, refuseUnanswered } from './test-verdict.ts';

type ToolObserved = ObservedTest<SuiteTestOf<'tool'>>;

/** Judges what the server sent during a call: progress and log messages; undefined where it is as expected. */
export function judgeMessages(observed: ToolObserved): Judged | undefined {
  return judgeProgress(observed) ?? judgeLog(observed);
}

function sentBy({ notifications, ended }: ToolObserved, method: string): Record<string, unknown>[] {
  return notifications
    .filter((one) => one.method === method && (one.callId === undefined || one.callId === ended.callId))
    .map(({ params }) => (isRecord(params) ? params : {}));
}

function judgeProgress(observed: ToolObserved): Judged | undefined {
  const { expectedProgress } = observed.test.spec;
  if (expectedProgress === undefined) return undefined;
  const sent = sentBy(observed, 'notifications/progress').map(({ progress }) => progress);
  if (sent.length < expectedProgress)
    return fail(`Expected ${counted(expectedProgress, 'progress notification')}, got ${sent.length}`);
  const odd = sent.findIndex((value, index) => {
    const before = index === 0 ? Number.NEGATIVE_INFINITY : sent[index - 1];
    return typeof value !== 'number' || typeof before !== 'number' || value <= before;
  });
  return odd < 0 ? undefined : fail(`The progress must increase with each notification, got ${jsonText(sent)}`);
}

function judgeLog(observed: ToolObserved): Judged | undefined {
  const { expectedLog, logLevel } = observed.test.spec;
  const set = exchangesOf(observed, 'logging/setLevel').at(-1);
  if (set?.error) {
    refuseAbsentFeature(set.error);
    return fail(`The server did not accept the log level: ${errorInWords(set.error)}`);
  }
  const messages = sentBy(observed, 'notifications/message');
  const tooLow = messages.find(({ level }) => logLevel !== undefined && rankOf(level) < rankOf(logLevel));
  if (tooLow) return fail(`The server sent a message of the level ${jsonText(tooLow.level)}, below ${logLevel}`);
  if (expectedLog === undefined) return undefined;
  if (messages.some((params) => logHolds(params, expectedLog))) return undefined;
  const got = messages.length === 0 ? 'none' : jsonText(messages.map(({ data }) => data));
  return fail(`Expected a log message that contains ${jsonText(expectedLog)}, got ${got}`);
}

function rankOf(level: unknown): number {
  return logLevels.indexOf(level as (typeof logLevels)[number]);
}

/** Judges a call that was cancelled: the server takes that, and goes on. */
export function judgeCancellation(observed: ToolObserved): Judged | undefined {
  const { cancelAfterMs } = observed.test.spec;
  if (cancelAfterMs === undefined) return undefined;
  const { answer, exchanges } = observed;
  if (answer?.error?.code !== 'CANCELLED') {
    const message = `The tool answered before it was cancelled after ${cancelAfterMs} ms, so nothing could be observed.`;
    throw new AssayError('NOT_OBSERVED', message);
  }
  const ofTask = exchangesOf(observed, 'tasks/cancel').at(-1);
  if (ofTask?.error) return fail(`The task could not be cancelled: ${errorInWords(ofTask.error)}`);
  const alive = exchanges.at(-1);
  if (!alive) refuseUnanswered();
  if (alive.error) return fail(`The server did not go on after the cancellation: ${errorInWords(alive.error)}`);
  return pass(`Cancelled after ${cancelAfterMs} ms${ofTask ? ' (the task was cancelled)' : ''}; the server went on`);
}
