import { meaningfulWords } from '../definitions/words.ts';

/** Something that the server needs and this machine does not give it. */
type MissingNeed = 'network' | 'credentials';

const signs: Readonly<Record<MissingNeed, RegExp>> = {
  network:
    /\b(?:fetch failed|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|getaddrinfo|socket hang up|network (?:is )?unreachable|network error|name resolution|could not resolve host|connection (?:refused|reset|timed out)|no route to host|max retries exceeded|net::ERR_)/i,
  credentials:
    /\b(?:unauthori[sz]ed|not authenticated|authentication (?:failed|required|error)|not logged in|(?:missing|invalid|incorrect|expired|no) (?:api[ _-]?key|access[ _-]?token|auth token|credentials?|token)|(?:api[ _-]?key|access[ _-]?token|credentials?)\b[^.\n]{0,40}\b(?:missing|invalid|required|not (?:set|found|provided|configured)|expired)|bad credentials|status(?: code)?:? 401)\b/i,
};

const mostCharacters = 2_000;

/** The need that a refusal speaks of; undefined for a refusal about anything else. */
export function missingNeed(refusal: string): MissingNeed | undefined {
  const beginning = refusal.slice(0, mostCharacters);
  if (signs.network.test(beginning)) return 'network';
  return signs.credentials.test(beginning) ? 'credentials' : undefined;
}

/** Tools that report errors of others return texts that read like errors. */
const aboutErrors = new Set(
  'error exception log lint diagnostic diagnose issue problem debug trace validate check test build compile run'.split(
    ' ',
  ),
);
const opening = new RegExp(
  [
    '\\w*(?:error|exception)\\b(?:\\s*[:(\\[\\d–-]|\\s+(?:while|when|occurred|in|from|at)\\b|\\s+(?!handling|logging|reporting|tracking)\\w+ing\\b)',
    'failed to\\b',
    '(?:request|operation|command|call|query) failed\\b',
    'failure:',
    'traceback \\(most recent',
    'an? (?:\\w+ )?error (?:occurred|happened)',
    '(?:could not|unable to|cannot) (?:fetch|connect|reach|load|resolve)\\b',
    'unauthori[sz]ed\\b',
    'access denied\\b',
    '(?:missing|invalid) api[ _-]?key\\b',
  ]
    .map((words) => `(?:${words})`)
    .join('|'),
  'i',
);

/** Whether the text of a result without `isError` reads like an error: `Error: fetch failed`, `{"error": "…"}`. */
export function textReadsLikeError(text: string, tool: string): boolean {
  if (meaningfulWords(tool).some((word) => aboutErrors.has(word))) return false;
  const beginning = text.slice(0, mostCharacters).replace(/^[\s\p{P}\p{S}]+/u, '');
  return opening.exec(beginning)?.index === 0 || isErrorObject(text);
}

const mostKeys = 6;
const longestObject = 20_000;

/** A small JSON object whose keys say that it is an error. */
function isErrorObject(text: string): boolean {
  if (!text.trimStart().startsWith('{') || text.length > longestObject) return false;
  try {
    const { error, success, ok, status, ...others } = JSON.parse(text) as Record<string, unknown>;
    if (Object.keys(others).length > mostKeys) return false;
    if ((typeof error === 'string' && error !== '') || (typeof error === 'object' && error !== null)) return true;
    const saysNo = success === false || ok === false || status === 'error' || status === 'failed';
    return saysNo && typeof others.message === 'string';
  } catch {
    return false;
  }
}
