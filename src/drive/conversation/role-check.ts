import { type Message, messageText } from '../../domain/message.ts';
import { oneLine } from '../../shared/text.ts';

/** Shorter ones, such as "Yes, please", are said by both sides without meaning anything by it. */
const fewestWordsOfEcho = 6;
const fewestWordsOfQuote = 10;
const wordsInSequence = 4;
const shareOfQuote = 0.7;

const machine =
  '(?:(?:ai|virtual|digital) (?:language model|model|assistant|chatbot|agent)|ai|a\\.i\\.|artificial intelligence|(?:large )?language model|llm|chat ?bot)';
const madeBy = '(?:designed|trained|created|developed|built|made)';
const claims = [
  `(?:^|[.!?] ?|\\b(?:sorry|however|but|well|hello|hi|hey|note|remember|unfortunately)[,;:]?\\s+(?:that\\s+)?)(?:i am|i['’]m)\\s+(?:just |only |simply )?an?\\s+${machine}(?=\\s*(?:[.,;:!)]|$|(?:and|but|so|here|who|that|which|by|from|${madeBy})\\b))`,
  `\\bas an?\\s+${machine}(?:\\s+${madeBy} by \\S+)?,?\\s+i(?:['’]m|\\s+(?:am|was|cannot|can['’]t|can not|can only|do not have|don['’]t have|have no|lack))\\b`,
].map((source) => new RegExp(source, 'iu'));

/** How a persona is described that is meant to be a program. */
const playsMachine = new RegExp(
  `\\b(?:is|are|am|be)\\s+(?:an?\\s+)?(?:(?!not\\b|never\\b)\\w+\\s+){0,2}${machine}\\b`,
  'iu',
);

const quoted = /"[^"]*"|“[^“”]*”|«[^«»]*»/g;

const assistantPhrases = [
  /^(?:\w+(?: \w+)?[!,.] )?how (?:can|may) i (?:help|assist) you\b/i,
  /^(?:\w+(?: \w+)?[!,.] )?(?:i['’]d|i would) be (?:happy|glad|pleased) to (?:help|assist)\b/i,
  /^(?:sure|certainly|of course|absolutely)[!,.]?\s+(?:i can help|i['’]ll help|let me help|here (?:is|are)|here['’]s)\b/i,
  /^(?:you['’]re|you are) welcome[!,.]\s+(?:if|let|is|feel)\b/i,
  /\bis there anything else i can (?:help|assist|do)\b/i,
  /\blet me know if you need (?:anything|any further)\b/i,
  /\bi['’]ve (?:booked|scheduled|reserved|ordered|cancelled|updated) .{0,80}\bfor you\b/i,
];

/** A name that is given out by a system, such as BK-12345. */
const reference = /\b[A-Z]{2,}[-_]?\d{3,}[A-Z0-9]*\b/g;

/** How a message of a simulated user is certainly no message of a user; undefined when it may be one. */
export function findBrokenRole(
  message: string,
  conversation: readonly Message[],
  authorTexts: readonly string[],
): string | undefined {
  if (wordsIn(message).length >= fewestWordsOfEcho && hasSentSame('assistant', message, conversation)) {
    // An agent that echoes makes every repetition of the user look like one of the agent.
    if (!hasSentSame('user', message, conversation)) return 'it repeats what the assistant said, word for word';
  }
  if (claimsToBeMachine(message) && !authorTexts.some((text) => playsMachine.test(text))) {
    return 'it calls itself an AI, but it is the user';
  }
  return undefined;
}

/** Signs that a message is not a user's; they are reported and decide nothing. */
export function findSuspicions(
  message: string,
  conversation: readonly Message[],
  authorTexts: readonly string[],
): string[] {
  const invented = inventedReferences(message, [...authorTexts, ...conversation.map(messageText)]);
  const checks: readonly (readonly [isSuspicious: boolean, suspicion: string])[] = [
    [hasSentSame('user', message, conversation), 'it said the same before'],
    [quotesAssistant(message, conversation), 'it says little but what the assistant said'],
    [assistantPhrases.some((phrase) => phrase.test(message)), 'it speaks like an assistant'],
    [claimsToBeMachine(message), 'it calls itself an AI'],
    [/^[ \t]*(?:assistant|agent|ai|bot)\s*:/im.test(message), 'it writes for the assistant too'],
    [invented.length > 0, `it names ${invented.join(', ')}, which it was not given`],
  ];
  return checks.filter(([isSuspicious]) => isSuspicious).map(([, suspicion]) => suspicion);
}

function claimsToBeMachine(message: string): boolean {
  const lines = message.replace(quoted, ' ').split('\n');
  const own = lines.map(oneLine).join('. ');
  return claims.some((claim) => claim.test(own));
}

function hasSentSame(role: Message['role'], message: string, conversation: readonly Message[]): boolean {
  const plain = plainText(message);
  return conversation.some((other) => other.role === role && plainText(messageText(other)) === plain);
}

/** Whether most sequences of words of a message are those of one message of the assistant. */
function quotesAssistant(message: string, conversation: readonly Message[]): boolean {
  const own = sequencesIn(message);
  if (own.size + wordsInSequence - 1 < fewestWordsOfQuote) return false;
  return conversation
    .filter(({ role }) => role === 'assistant')
    .some((other) => {
      const theirs = sequencesIn(messageText(other));
      const shared = [...own].filter((sequence) => theirs.has(sequence)).length;
      return shared >= own.size * shareOfQuote;
    });
}

function sequencesIn(text: string): Set<string> {
  const words = wordsIn(text);
  return new Set(words.slice(wordsInSequence - 1).map((_, at) => words.slice(at, at + wordsInSequence).join(' ')));
}

function inventedReferences(message: string, given: readonly string[]): string[] {
  const givenText = given.join('\n').toUpperCase();
  return [...new Set(message.match(reference) ?? [])].filter((name) => !givenText.includes(name));
}

/** Scripts that put no spaces between words count by the sign. */
const wordOrSign = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu;

function wordsIn(text: string): string[] {
  return plainText(text).match(wordOrSign) ?? [];
}

function plainText(text: string): string {
  return oneLine(text.normalize('NFKC').toLowerCase());
}
