import { JsonPathError } from '../../../shared/json-path/json-path-walk.ts';
import type { EndpointAnswer } from './endpoint.ts';
import { parseJson } from './parse-json.ts';

const jsonHint = 'The endpoint must answer with JSON; check the base URL and the path of the connector.';

/** The JSON of an answer, or the error that says what it is instead. */
export function documentOf(answer: EndpointAnswer): unknown {
  const document = parseJson(answer.body);
  if (document !== undefined) return document;
  if (answer.body.trim() === '') return answer.fail('TARGET_OUTPUT_NOT_JSON', 'answered with an empty body.', jsonHint);
  if (isWebPage(answer)) return failAsWebPage(answer);
  const problem = `answered with something that is not JSON: ${answer.excerpt()}`;
  return answer.fail('TARGET_OUTPUT_NOT_JSON', problem, jsonHint);
}

/** True for HTML, which is what proxies, sign-in pages and wrong paths answer with. */
export function isWebPage({ body, contentType }: Pick<EndpointAnswer, 'body' | 'contentType'>): boolean {
  const beginning = body.slice(0, 200);
  // Some servers call any text HTML unless they are told otherwise.
  return (
    /^\s*<(!doctype html|html)\b/i.test(beginning) || (/^text\/html\b/i.test(contentType) && /^\s*</.test(beginning))
  );
}

/** Throws for an answer that is a web page. */
export function failAsWebPage(answer: EndpointAnswer): never {
  return answer.fail('TARGET_OUTPUT_NOT_JSON', `answered with a web page: ${answer.excerpt()}`, jsonHint);
}

/** Reads an answer; one that is nested too deeply, or takes too much work, is no answer. */
export function reading<Value>(answer: Pick<EndpointAnswer, 'fail'>, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    const hint = 'Make the answer simpler, or map the part that matters.';
    if (error instanceof RangeError) {
      return answer.fail('TARGET_OUTPUT_NOT_JSON', 'answered with JSON that is nested too deeply.', hint);
    }
    if (error instanceof JsonPathError) {
      return answer.fail('TARGET_OUTPUT_NOT_JSON', `answered with JSON that cannot be mapped: ${error.message}.`, hint);
    }
    throw error;
  }
}
