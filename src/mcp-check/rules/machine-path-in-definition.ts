import { textsOf } from '../listed-server.ts';
import type { Finding, Rule } from '../rule.ts';

const home = /(?<![\w.])(?:\/home\/|\/Users\/|[A-Za-z]:\\{1,2}Users\\{1,2})([A-Za-z0-9._-]+)/g;
const nobody = new Set(
  'user username users you your yourname your-name your_name me name example someone alice bob john jane jdoe johndoe foo bar test demo node ubuntu runner app public shared default'.split(
    ' ',
  ),
);

/** Paths that exist only where the author works. */
export const machinePathInDefinition: Rule = {
  id: 'machine-path-in-definition',
  severity: 'warning',
  summary: 'A definition contains a path of the machine it was written on',
  why: 'Models use it as it stands, on machines where there is no such folder, and it tells who the author is.',
  fix: 'Use a relative path or an example such as `/path/to/file`; compute defaults when the server runs.',
  check: (server) =>
    textsOf(server).flatMap(({ tools, text }): Finding[] => {
      const found = [...text.matchAll(home)].find(([, owner = '']) => !nobody.has(owner.toLowerCase()));
      return found ? [{ message: `There is the path \`${found[0]}\`.`, tools }] : [];
    }),
};
