/** One cell of a heat map. */
export interface HeatCell {
  /** Always shown: the colour says the same and nothing else. */
  readonly text: string;
  /** From 0 to 1; null where nothing is known. */
  readonly share: number | null;
  /** More about it, such as the interval. */
  readonly details: string;
}

/** A table whose cells are coloured by a share, from harmless (0) to bad (1). */
export interface HeatMap {
  readonly title: string;
  /** Names the rows. */
  readonly corner: string;
  readonly columns: readonly string[];
  /** One cell for each column; null where there is none. */
  readonly rows: readonly { readonly name: string; readonly cells: readonly (HeatCell | null)[] }[];
}
