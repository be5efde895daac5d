/** A shape of a picture; the text is what a `text` says, and for others what is said on hovering. */
export type DrawnShape = readonly [
  tag: 'line' | 'circle' | 'polyline' | 'text',
  attributes: Readonly<Record<string, string | number>>,
  text?: string,
];

/** A picture that was computed where the figures are, ready to be drawn. */
export interface Drawing {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly DrawnShape[];
}
