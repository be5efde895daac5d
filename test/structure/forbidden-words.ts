/** Words that make people decode our English, each with what to write instead. */
export const forbiddenWords: ReadonlyMap<RegExp, string> = new Map([
  [/\bin vain\b/i, 'say what happened, such as "timed out after 500 ms"'],
  [/\b(some|any|no|every)body\b/i, 'name who: the user, an agent, a caller'],
  [/\bwhoever\b/i, 'anyone who, the caller'],
  [/\bhardly meant\b/i, 'probably a mistake'],
  [/\bdearer\b/i, 'more expensive'],
  [/\banew\b/i, 'again, recreate'],
  [/\bbeyond doubt\b/i, 'beyond chance: an error rate is not zero'],
  [/\bwithout a word\b/i, 'say what was missing'],
  [/\bso that\b/i, 'so, to, or a new sentence'],
  [/\bof (its|their|his) own\b/i, 'its own x'],
  [/(?<!\bthere )\bis no\b(?! (longer|more)\b)/i, 'is not a'],
  [/\btold\b/i, 'reported, logged, emitted'],
  [/\basked\b/i, 'evaluated, requested, prompted, configured'],
  // `cannot-tell` is an answer of the judge.
  [/(?<!cannot[- ])\btells?\b/i, 'reports, shows, distinguishes'],
  [/^\s*(\/\*\*|\*|\/\/) What /, 'name the thing: "Cost of one trial."'],
]);
