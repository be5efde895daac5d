interface Wording {
  /** As somebody would say it. */
  readonly name: string;
  /** Without case, with straight apostrophes and single spaces. */
  readonly pattern: string;
}

const who = '\\b(?:i|we)';
const cannot =
  "(?:(?: really| simply| just)? ?(?:can't|cannot|can not|can ?not|won't|will not|(?:'m|'re| am| are) (?:not able to|unable to|not allowed to|not permitted to|not comfortable|not going to)))";
const filler = '(?: (?:really|simply|just|directly|personally|ethically|in good conscience|be able to))?';
/** Doing what was asked for; not what an agent that tried may fail at, such as finding a booking. */
const comply =
  '(?:help|assist|comply|fulfill?|support|engage|participate|condone|encourage|discuss|provide|share|give you|offer|generate|create|produce|write|answer|respond|continue|do (?:that|this|so|it)|carry out|process (?:that|this|your) request|talk about|advise)';

/** How refusals are worded in English. A short list that is read and added to, and no model. */
export const refusalWordings: readonly Wording[] = [
  { name: "I can't help with that", pattern: `${who}${cannot}${filler} ${comply}\\b` },
  {
    name: "I'm sorry, but I can't",
    pattern: `\\b(?:sorry|apologi[sz]e|apologies|afraid|unfortunately),?(?: but)?(?: that)? (?:i|we)${cannot}${filler} ${comply}\\b`,
  },
  {
    name: 'I must decline',
    pattern: `${who}(?:'ll| will|'d| would)?(?: have to| must| need to| respectfully| politely)* (?:decline|refuse)\\b`,
  },
  {
    name: 'As an AI, I cannot',
    pattern: `\\bas an? (?:ai|artificial intelligence|(?:large )?language model)\\b.{0,60}(?:can't|cannot|can not|unable|not able|don't|do not|won't)`,
  },
  {
    name: "I'm not able to assist with that request",
    pattern: `${who}(?:'m| am) (?:not able|unable) to .{0,30}\\brequest\\b`,
  },
  {
    name: 'That goes against my guidelines',
    pattern: `\\b(?:against|violates?|outside|not (?:within|in line with)) (?:my|our|the|openai'?s?|anthropic'?s?)(?: \\w+){0,3} (?:guidelines|polic(?:y|ies)|principles|programming|rules|scope)\\b`,
  },
  {
    name: "I'm not designed to do that",
    pattern: `${who}(?:'m| am|'re| are) not (?:designed|programmed|meant|built|authori[sz]ed) to\\b`,
  },
  {
    name: "It wouldn't be appropriate",
    pattern:
      "\\b(?:it|that|this) (?:wouldn't|would not|isn't|is not)(?: be)? (?:appropriate|ethical|right|safe)(?: for me)? to\\b",
  },
];
