import type { PromptTest } from '../../../../domain/mcp/feature-suites.ts';
import type { SuiteTestOf } from '../../../../domain/mcp/suite-tests.ts';
import { containsText } from '../../../../domain/tools/tool-meaning.ts';
import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { exchangesOf, type ObservedTest } from './observed-tests.ts';
import { contentText, judgePattern, judgeReply, messageDifference } from './reply-checks.ts';
import { fail, type Judged, jsonText, timeOf } from './test-verdict.ts';

/** Judges what a prompt became. */
export function judgePrompt(observed: ObservedTest<SuiteTestOf<'prompt-get'>>): Judged {
  const { ended, test } = observed;
  const got = exchangesOf(observed, 'prompts/get').at(-1);
  const messages = messagesOf(got?.result);
  return judgeReply(test.spec, got, ended, {
    value: messages,
    check: () => judgeMessages(test.spec, messages),
    summary: `${counted(messages.length, 'message')} in ${timeOf(ended)}`,
  });
}

function messagesOf(result: unknown): readonly unknown[] {
  return isRecord(result) && Array.isArray(result.messages) ? result.messages : [];
}

/** The text of a prompt. */
export function promptText(result: unknown): string {
  return messagesOf(result)
    .map((message) => (isRecord(message) ? contentText(message.content) : ''))
    .join('\n');
}

function judgeMessages(spec: PromptTest, messages: readonly unknown[]): Judged | undefined {
  const text = promptText({ messages });
  const missing = [spec.expectedContent ?? []].flat().find((wanted) => !containsText(text, wanted));
  if (missing !== undefined) return fail(`Expected a prompt that contains ${jsonText(missing)}, got ${jsonText(text)}`);
  const difference = messageDifference(spec.expectedMessages ?? [], messages);
  if (difference !== undefined) return fail(difference);
  for (const pattern of spec.expectedPatterns ?? []) {
    const odd = judgePattern(pattern, text);
    if (odd) return odd;
  }
  const odd = spec.validateStructure ? messages.find((message) => !isWellFormed(message)) : undefined;
  if (odd !== undefined) return fail(`A message is not well formed: ${jsonText(odd)}`);
  return spec.validateStructure && messages.length === 0 ? fail('The prompt has no messages') : undefined;
}

function isWellFormed(message: unknown): boolean {
  if (!isRecord(message) || (message.role !== 'user' && message.role !== 'assistant')) return false;
  return isRecord(message.content) && typeof message.content.type === 'string';
}
