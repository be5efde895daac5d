/** A query whose rows may be read one by one. */
interface RowQuery<Row> {
  stream(): AsyncIterable<Row>;
  execute(): Promise<Row[]>;
}

/** The rows of a query one by one, where the engine can; only one query runs at a time until the last was read. */
export type EachRow = <Row>(query: RowQuery<Row>) => AsyncIterable<Row>;
