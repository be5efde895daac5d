import type { CheckProblem } from '../definitions/rule.ts';
import type { ServerSdk } from './find-sdk.ts';

/** Something that servers do because their SDK does it, whatever their author writes. */
interface SdkDefect {
  readonly rule: string;
  /** The packages and versions that were seen to do it. */
  readonly sdk: RegExp;
  /** The messages of the problem that stem from the SDK; all without it. */
  readonly message?: RegExp;
}

const defects: readonly SdkDefect[] = [
  // It answers `server/discover` before it looks at the version of the request.
  { rule: 'protocol-version-unchecked', sdk: /^@modelcontextprotocol\/server 2\.[0-4]\./ },
  // `registerResource` of 1.x refuses unknown resources with the code for wrong parameters.
  {
    rule: 'unknown-resource-code',
    sdk: /^@modelcontextprotocol\/sdk 1\./,
    message: /MCP error -32602: Resource assay:\/\/no-such-resource not found$/,
  },
  // 2.x uses the code of 2026-07-28 in the versions before it too.
  {
    rule: 'unknown-resource-code',
    sdk: /^@modelcontextprotocol\/server 2\./,
    message: /-32602 instead of -32002: Resource not found: assay:\/\/no-such-resource$/,
  },
];

/** Problems with those that the SDK causes attributed to it: as notices, since the author of the server cannot mend them. */
export function attributed(problems: readonly CheckProblem[], sdk: ServerSdk | undefined): CheckProblem[] {
  const name = sdk ? `${sdk.name} ${sdk.version}` : 'the official SDK';
  return problems.map((problem) => {
    const isOfSdk = defects.some((defect) => defect.rule === problem.id && isBy(defect, problem, sdk && name));
    if (!isOfSdk) return problem;
    return { ...problem, severity: 'notice', attributedTo: name, message: `${problem.message} ${name} does this.` };
  });
}

/** In a bundle the SDK is known by its words only. */
function isBy({ sdk, message }: SdkDefect, problem: CheckProblem, name: string | undefined): boolean {
  const hasItsWords = message?.test(problem.message);
  return name === undefined ? hasItsWords === true : sdk.test(name) && hasItsWords !== false;
}
