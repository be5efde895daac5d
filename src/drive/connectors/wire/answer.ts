import type { ErrorCode } from '../../../domain/errors.ts';
import { parseJson, whyNotJson } from '../../../shared/json.ts';
import type { Clean } from '../../../shared/redaction/redaction.ts';
import { printable } from '../../../shared/text.ts';
import type { ConnectorResponse } from '../connector.ts';

/** An answer with a status of success. */
export interface EndpointAnswer {
  readonly body: string;
  readonly contentType: string;
  readonly latencyMs: number;
  readonly timeToFirstTokenMs: number | undefined;
  /** True when a stream reader received it piece by piece. */
  readonly isStreamed: boolean;
  readonly raw: NonNullable<ConnectorResponse['raw']>;
  /** The beginning of the body, in quotes, for a message. */
  excerpt(): string;
  /** Throws an error that names the endpoint. */
  fail(code: ErrorCode, problem: string, hint: string): never;
}

/** Thrown where an answer is well-formed but cannot be read with the connector's config. */
export class UnreadableAnswer extends Error {}

const jsonHint = 'Check the base URL and the path of the connector: the endpoint must answer with JSON.';

/** Parses the JSON of an answer; the error for any other body says what it is instead. */
export function documentOf(answer: EndpointAnswer): unknown {
  const document = parseJson(answer.body);
  if (document !== undefined) return document;
  if (answer.body.trim() === '') return answer.fail('TARGET_OUTPUT_NOT_JSON', 'answered with an empty body.', jsonHint);
  if (isWebPage(answer)) return failAsWebPage(answer);
  const problem = `answered with something that is ${whyNotJson(answer.body)}: ${answer.excerpt()}`;
  return answer.fail('TARGET_OUTPUT_NOT_JSON', problem, jsonHint);
}

/** True for HTML, the answer of proxies, sign-in pages and wrong paths. */
export function isWebPage({ body, contentType }: Pick<EndpointAnswer, 'body' | 'contentType'>): boolean {
  const beginning = body.slice(0, 200);
  // Some servers label any text as HTML by default.
  return (
    /^\s*<(!doctype html|html)\b/i.test(beginning) || (/^text\/html\b/i.test(contentType) && /^\s*</.test(beginning))
  );
}

export function failAsWebPage(answer: EndpointAnswer): never {
  return answer.fail('TARGET_OUTPUT_NOT_JSON', `answered with a web page: ${answer.excerpt()}`, jsonHint);
}

/** Reads an answer; one that is nested too deeply, or takes too much work to map, fails with a code of the target. */
export function readSafely<Value>(answer: Pick<EndpointAnswer, 'fail'>, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    const hint = 'Make the answer simpler, or map the part that matters.';
    if (error instanceof RangeError) {
      return answer.fail('TARGET_OUTPUT_NOT_JSON', 'answered with JSON that is nested too deeply.', hint);
    }
    if (error instanceof UnreadableAnswer) {
      return answer.fail('TARGET_NO_MESSAGE', `answered with JSON that cannot be mapped: ${error.message}.`, hint);
    }
    throw error;
  }
}

/** Characters of a request or an answer that the trace keeps. */
const traceLength = 32_768;
/** Longer than any form of a secret that stands at the end of the part that is kept. */
const margin = 4_096;
const excerptLength = 300;

/** A text for the trace: redacted, and limited in length. */
export function traceText(text: string, redact: Clean): string {
  if (text.length <= traceLength) return redact(text);
  const clean = beginningOf(text, traceLength, redact);
  return `${clean}\n… ${text.length - clean.length} characters left out …`;
}

/** The beginning of a text on one line, in quotes, for a message. */
export function excerptOf(text: string, redact: Clean): string {
  const isLong = text.length > excerptLength;
  const excerpt = isLong ? `${beginningOf(text, excerptLength, redact)}…` : redact(text);
  return `"${printable(excerpt)}"`;
}

/** Redacted before it is cut: half a secret would not be recognised. */
function beginningOf(text: string, length: number, redact: Clean): string {
  const clean = redact(text.slice(0, length + margin));
  const isWhole = text.length <= length + margin;
  return clean.slice(0, isWhole ? length : Math.min(length, clean.length - margin));
}
