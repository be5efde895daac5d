import { printable, wellFormed } from './text.ts';

/** How bad a finding is, in the words of SARIF. */
export type SarifLevel = 'error' | 'warning' | 'note';

/** A kind of finding; those that are broken are listed once. */
export interface SarifRule {
  readonly id: string;
  readonly level: SarifLevel;
  readonly summary: string;
  readonly why?: string;
  readonly fix?: string;
  /** The address of a page about the rule. */
  readonly helpUri?: string;
}

/** One place where a rule is broken. */
export interface SarifFinding {
  readonly rule: SarifRule;
  readonly message: string;
  /** A `location` object. */
  readonly location: object;
  /** The same in every run for the same finding, so it is shown once. */
  readonly fingerprint: string;
  readonly properties?: object;
}

/** Something that kept the tool from looking at everything: it says nothing of what was looked at. */
export interface SarifNotification {
  readonly id: string;
  readonly message: string;
  readonly location?: object;
}

/** Facts of a run, written after its findings. */
export interface SarifClosing {
  readonly tool: { readonly name: string; readonly version?: string };
  readonly startedAt: string;
  readonly isComplete: boolean;
  readonly artifacts?: readonly object[];
}

const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/**
 * SARIF 2.1.0, piece by piece: `begin`, any number of findings, `endFindings`, any number of notifications, `end`.
 * The rules come last, when it is known which are broken.
 */
export class SarifWriter {
  readonly #rules = new Map<string, { readonly index: number; readonly rule: SarifRule }>();
  #separator = '\n';

  begin(): string {
    return `{\n"$schema": ${JSON.stringify(schema)},\n"version": "2.1.0",\n"runs": [{\n"results": [`;
  }

  finding({ rule, message, location, fingerprint, properties }: SarifFinding): string {
    const { index } = this.#rules.get(rule.id) ?? { index: this.#rules.size };
    this.#rules.set(rule.id, { index, rule });
    return this.#item({
      ruleId: rule.id,
      ruleIndex: index,
      level: rule.level,
      message: { text: sarifText(message) },
      locations: [location],
      partialFingerprints: { 'assay/v1': fingerprint },
      ...(properties && { properties }),
    });
  }

  endFindings({ startedAt, isComplete }: Pick<SarifClosing, 'startedAt' | 'isComplete'>): string {
    this.#separator = '\n';
    const invocation = JSON.stringify({ executionSuccessful: isComplete, startTimeUtc: startedAt });
    return `\n],\n"invocations": [${invocation.slice(0, -1)},"toolExecutionNotifications":[`;
  }

  notification({ id, message, location }: SarifNotification): string {
    return this.#item({
      descriptor: { id },
      level: 'error',
      message: { text: sarifText(message) },
      ...(location && { locations: [location] }),
    });
  }

  end({ tool, artifacts }: Pick<SarifClosing, 'tool' | 'artifacts'>): string {
    const rules = [...this.#rules.values()].map(({ rule }) => ruleObject(rule));
    const driver = { ...tool, rules };
    const looked = artifacts ? `,\n"artifacts": ${JSON.stringify(artifacts)}` : '';
    return `\n]}]${looked},\n"tool": ${JSON.stringify({ driver })}\n}]\n}\n`;
  }

  #item(value: object): string {
    const text = `${this.#separator}${JSON.stringify(value)}`;
    this.#separator = ',\n';
    return text;
  }
}

function ruleObject({ id, level, summary, why, fix, helpUri }: SarifRule): object {
  return {
    id,
    shortDescription: { text: summary },
    ...(why !== undefined && { fullDescription: { text: why } }),
    ...(fix !== undefined && { help: { text: fix } }),
    ...(helpUri !== undefined && { helpUri }),
    defaultConfiguration: { level },
  };
}

/** Foreign text as a message: on one line, and without the links that SARIF would read in `[text](target)`. */
function sarifText(text: string): string {
  return wellFormed(printable(text)).replaceAll('](', '] (');
}
