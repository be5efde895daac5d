import { meaningfulWords } from '../definitions/words.ts';

/** Something that a server needs and that is missing here: not a fault of the server. */
export type MissingNeed =
  | 'a setting'
  | 'credentials'
  | 'an open connection'
  | 'a browser'
  | 'a program'
  | 'a lower call rate'
  | 'network access';

/** The signs of each need; of a text that has several, the first. */
const signs: Readonly<Record<MissingNeed, RegExp>> = {
  'a lower call rate': /\b(?:rate[ -]limit|too many requests|status(?: code)?:? 429|quota exceeded|throttl(?:ed|ing))/i,
  'a setting':
    /\bno (?:default|active) [\w ]{1,40}\b(?:configured|set|selected)\b|\bdefault [\w ]{1,40} (?:is not|is ?n't|has not been) (?:configured|set)\b/i,
  'an open connection':
    /\bnot (?:yet )?connected\b|\bno (?:active |open )?(?:connection|session)(?: found\b| (?:is )?(?:open|active|available)\b)|\bconnect\b[^.\n]{0,40}\bfirst\b/i,
  'a browser':
    /\b(?:executable doesn't exist at|(?:browser|chrome|chromium|firefox|webkit)\b[^.\n]{0,60}\b(?:not (?:found|installed)|is missing|executable)|could not find (?:any )?(?:chrome|chromium|browser|firefox)|failed to launch (?:the )?browser|(?:playwright|puppeteer|npx [\w@-]+) (?:browsers )?install\b|missing x server)/i,
  'a program':
    /(?:\bspawn \S{1,200} ENOENT\b|\bcommand not found\b|\bis not recognized as an internal\b|\bexecutable file not found\b|\bENOENT: [^\n]{0,40}\bspawn\b|\bnot found in \$?PATH\b|\b(?:docker|daemon|git|kubectl)\b[^.\n]{0,40}\b(?:not installed|not running|is not available)\b)/i,
  'network access':
    /\b(?:fetch failed|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|getaddrinfo|socket hang up|network (?:is )?unreachable|network error|name resolution|could not resolve host|connection (?:refused|reset|timed out)|no route to host|max retries exceeded|net::ERR_|(?:error|failure)\b[^.\n]{0,20}\b(?:making|sending) (?:the|a|an) (?:\w+ )?request\b|(?:unable|failed) to (?:make|send) (?:the |an? )?(?:\w+ )?request\b)/i,
  credentials:
    /\b(?:unauthori[sz]ed|not authenticated|authentication (?:failed|required|error)|not logged in|(?:missing|invalid|incorrect|expired|no) (?:api[ _-]?key|access[ _-]?token|auth token|credentials?|token)|(?:api[ _-]?key|access[ _-]?token|credentials?)\b[^.\n]{0,40}\b(?:missing|invalid|required|not (?:set|found|provided|configured)|expired)|bad credentials|status(?: code)?:? 401)\b/i,
};

const mostCharacters = 2_000;

/** The need that a refusal speaks of; undefined for a refusal about anything else. */
export function missingNeed(refusal: string): MissingNeed | undefined {
  const beginning = refusal.slice(0, mostCharacters);
  return (Object.keys(signs) as MissingNeed[]).find((need) => signs[need].test(beginning));
}

const aboutData =
  /-32602|\b(?:not found|no such|does ?n[o']t exist|do not exist|could(?: not|n't) (?:find|be found)|cannot find|could(?: not|n't) (?:extract|parse|read|open)|unknown|unsupported|invalid|not (?:a )?valid|malformed|expected|required|must\b|no [\w ]{1,40}(?:found|available|selected|open|set)\b|ENOENT|ENOTDIR|EISDIR|EACCES|outside|not allowed|access denied|permission denied)/i;

/** Whether a refusal is about the arguments: generated ones name things that do not exist. */
export function isAboutData(refusal: string): boolean {
  return aboutData.test(refusal.slice(0, mostCharacters));
}

const exception =
  /\b(?:TypeError|ReferenceError|NameError|AttributeError|UnboundLocalError|ModuleNotFoundError|ImportError|NullPointerException|NoMethodError)\b|\bCannot (?:read|set) propert|\bCannot destructure|\bCannot find (?:module|package)\b|\bis not (?:a function|defined|iterable|a constructor)\b|\bundefined is not\b|\bpanic: |\bruntime error: |'NoneType' object\b|\bnil pointer\b/;

/** Whether a text is that of an exception of the server's program, and not a message that its author wrote. */
export function isException(refusal: string): boolean {
  return exception.test(refusal.slice(0, mostCharacters));
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
  // Such a tool reports the error of another, except where it was the call that went wrong.
  if (meaningfulWords(tool).some((word) => aboutErrors.has(word)) && missingNeed(text) === undefined) return false;
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
