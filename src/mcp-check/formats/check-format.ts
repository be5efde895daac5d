import type { CheckReport } from '../check-report.ts';

interface FormatStyle {
  readonly color: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

/** A way to write a report down. */
export interface CheckFormat {
  readonly name: string;
  /** Extensions of files that have this format by default. */
  readonly endings: readonly string[];
  render(report: CheckReport, style: FormatStyle): string;
}
