/** How many levels of lists and objects a file may have; what reads the data later goes down level by level. */
export const mostLevels = 200;

/** What is said of a file with more levels. */
export const tooDeepMessage = `this is nested more than ${mostLevels} levels deep`;

/** Whether a text has enough opening brackets to be nested too deeply. */
export function mayBeTooDeep(text: string): boolean {
  let found = 0;
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++found > mostLevels) return true;
    }
  }
  return false;
}
