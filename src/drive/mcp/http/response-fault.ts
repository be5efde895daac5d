import { isRecord } from '../../../shared/json.ts';
import type { Redact } from '../../../shared/redaction/redaction.ts';
import { printable } from '../../../shared/text.ts';
import type { WireEnd } from '../wire.ts';

const longestExcerptBytes = 65_536;
const shownChars = 200;

/** What a refused request says, as far as it is worth reading. */
export async function beginningOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of response.body ?? []) {
      parts.push(part);
      bytes += part.length;
      if (bytes > longestExcerptBytes) break;
    }
  } catch {
    // What came before it broke off is all there is.
  }
  return Buffer.concat(parts).toString('utf8', 0, longestExcerptBytes);
}

/** Why a response of HTTP is no answer of the protocol. */
export function refusalOf(response: Response, text: string, hadSession: boolean, redact: Redact): WireEnd {
  const { status, statusText } = response;
  const says = printable(redact(text)).trim().slice(0, shownChars);
  const what = `answered HTTP ${[status, statusText].join(' ').trim()}${says === '' ? '' : `: ${says}`}`;
  if (status === 401 || status === 403) return { code: 'MCP_SERVER_REFUSED', what };
  const isForgotten = hadSession && (status === 404 || (status === 400 && /session/i.test(text)));
  if (isForgotten)
    return { code: 'MCP_SERVER_DIED', what: `does not know the session any more: it ${what}`, isForgotten };
  return { code: 'MCP_SERVER_UNREACHABLE', what };
}

/** Whether the text is an answer of the protocol to this request, which some servers send with a status of failure. */
export function isAnswerTo(requestId: unknown, text: string): boolean {
  if (requestId === undefined) return false;
  try {
    const message: unknown = JSON.parse(text);
    return isRecord(message) && message.jsonrpc === '2.0' && message.id === requestId;
  } catch {
    return false;
  }
}

const brokenOff: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Why there was no response at all. */
export function silenceOf(error: unknown, redact: Redact): WireEnd {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (brokenOff.has(code)) return { code: 'MCP_SERVER_DIED', what: 'closed the connection without an answer' };
  const why = cause instanceof Error ? cause.message || code : String(cause);
  return { code: 'MCP_SERVER_UNREACHABLE', what: `cannot be reached: ${printable(redact(why || code))}` };
}
