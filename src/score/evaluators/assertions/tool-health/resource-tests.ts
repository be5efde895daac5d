import { type SuiteTestOf, templateOf } from '../../../../domain/mcp/suite-tests.ts';
import { differenceOfResult } from '../../../../domain/tools/tool-meaning.ts';
import type { TraceEventOf } from '../../../../domain/trace.ts';
import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { exchangesOf, listedItems, type ObservedTest } from './observed-tests.ts';
import { judgeError, judgeLatency, judgePattern, judgeReply } from './reply-checks.ts';
import { fail, inMs, type Judged, jsonText, mismatch, pass, refuseUnanswered, timeOf } from './test-verdict.ts';

/** Judges what reading a resource gave. */
export function judgeRead(observed: ObservedTest<SuiteTestOf<'resource-read' | 'resource-template'>>): Judged {
  const { ended, test } = observed;
  const read = exchangesOf(observed, 'resources/read').at(-1);
  const contents = isRecord(read?.result) && Array.isArray(read.result.contents) ? read.result.contents : [];
  return judgeReply(test.spec, read, ended, {
    value: contents,
    check: () => judgeContent(test.spec, contents, ended),
    summary: `Read ${counted(contents.length, 'content')} in ${timeOf(ended)}`,
  });
}

function judgeContent(
  { expectedMimeType, expectedContent, match }: SuiteTestOf<'resource-read' | 'resource-template'>['spec'],
  contents: readonly unknown[],
  ended: TraceEventOf<'mcp-test'>,
): Judged | undefined {
  if (contents.length === 0) return fail(`The resource has no contents (${timeOf(ended)})`);
  const types = contents.map((content) => (isRecord(content) ? content.mimeType : undefined));
  if (expectedMimeType !== undefined && !types.some((type) => isType(type, expectedMimeType))) {
    return fail(`Expected the type ${jsonText(expectedMimeType)}, got ${jsonText(types[0])} (${timeOf(ended)})`);
  }
  if (expectedContent === undefined) return undefined;
  const texts = contents.flatMap((content) =>
    isRecord(content) && typeof content.text === 'string' ? [{ type: 'text', text: content.text }] : [],
  );
  const result = { content: texts.length > 0 ? texts : contents };
  const areTexts = Array.isArray(expectedContent) && expectedContent.every((part) => typeof part === 'string');
  for (const wanted of areTexts ? (expectedContent as readonly string[]) : [expectedContent]) {
    const difference = differenceOfResult(wanted, result, match);
    if (difference) return mismatch(difference, timeOf(ended));
  }
  return undefined;
}

/** Parameters of a type, such as the character set, count only where they are expected. */
function isType(actual: unknown, expected: string): boolean {
  if (typeof actual !== 'string') return false;
  const [type, wanted] = [actual.toLowerCase(), expected.toLowerCase()];
  return type === wanted || type.split(';')[0]?.trim() === wanted;
}

/** Judges a template: whether the server offers it, what it became, and what was read there. */
export function judgeTemplate(observedTest: ObservedTest<SuiteTestOf<'resource-template'>>): Judged {
  const { test, ended } = observedTest;
  const { spec } = test;
  const template = templateOf(spec);
  const { uri, problem } = isRecord(ended.observed) ? ended.observed : {};
  if (typeof problem === 'string') return judgeError(spec, { error: { message: problem } }, ended) ?? fail(problem);
  const pages = exchangesOf(observedTest, 'resources/templates/list');
  const offered = listedItems(pages, 'resourceTemplates').map(({ uriTemplate }) => uriTemplate);
  if (typeof uri !== 'string' || pages.length === 0) refuseUnanswered();
  if (spec.expectedUri !== undefined && uri !== spec.expectedUri) {
    return fail(`Expected the address ${jsonText(spec.expectedUri)}, got ${jsonText(uri)}`);
  }
  const odd = spec.expectedUriPattern === undefined ? undefined : judgePattern(spec.expectedUriPattern, uri);
  if (odd) return odd;
  if (!offered.includes(template)) {
    return fail(`The server does not offer the template ${jsonText(template)}; it offers ${jsonText(offered)}`);
  }
  const read = judgeRead(observedTest);
  return read.state === 'pass' ? { ...read, details: `${uri}: ${read.details}` } : read;
}

/** Judges a subscription: whether it was taken, and whether updates came. */
export function judgeSubscription(observedTest: ObservedTest<SuiteTestOf<'resource-subscription'>>): Judged {
  const { test, ended, answer } = observedTest;
  const { spec } = test;
  const [subscribed] = exchangesOf(observedTest, 'resources/subscribe');
  if (!subscribed) refuseUnanswered();
  const refused = judgeError(spec, subscribed, ended) ?? judgeLatency(spec, ended, subscribed.durationMs);
  if (refused) return refused;
  if (answer?.error) return fail(`The tool that should change the resource failed: ${answer.error.message}`);
  if (spec.expectUpdates !== undefined && !isRecord(ended.observed)) refuseUnanswered();
  const updates = isRecord(ended.observed) ? ended.observed : {};
  const count = Number(updates.updateCount ?? 0);
  const waited = inMs(Number(updates.waitedMs ?? 0));
  if (spec.expectUpdates === true && count === 0) return fail(`Subscribed, but no update came within ${waited}`);
  if (spec.expectUpdates === false && count > 0) return fail(`${counted(count, 'update')} came, and none was expected`);
  const undone = exchangesOf(observedTest, 'resources/unsubscribe')[0]?.error;
  if (undone) return fail(`Subscribed, but unsubscribing failed: ${undone.message}`, { error: undone.message });
  return pass(`Subscribed in ${inMs(subscribed.durationMs)}; ${counted(count, 'update')} came`);
}
