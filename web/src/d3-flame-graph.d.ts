// What the page uses of d3-flame-graph 5 and d3-selection 3, which come without types.

declare module 'd3-flame-graph' {
  /** A node of d3-hierarchy's tree over `Datum`. */
  export type ChartNode<Datum> = {
    readonly data: Datum;
    readonly parent: ChartNode<Datum> | null;
    readonly depth: number;
    readonly children?: readonly ChartNode<Datum>[];
    /** Parts of the width, 0…1. */
    readonly x0: number;
    readonly x1: number;
  };

  export type Chart<Datum> = {
    (selection: unknown): void;
    width(pixels: number): Chart<Datum>;
    height(pixels: number): Chart<Datum>;
    cellHeight(pixels: number): Chart<Datum>;
    getChildren(children: (datum: Datum) => readonly Datum[]): Chart<Datum>;
    getValue(value: (datum: Datum) => number): Chart<Datum>;
    /** Narrower frames are not drawn, pixels. */
    minFrameSize(pixels: number): Chart<Datum>;
    /** True: the root on top. */
    inverted(isInverted: boolean): Chart<Datum>;
    /** Called on the chart's svg once; then `show` and `hide` follow the pointer. */
    tooltip(tooltip: (() => void) & { show(): void; hide(): void }): Chart<Datum>;
    setColorMapper(colour: (node: ChartNode<Datum>) => string): Chart<Datum>;
  };

  export default function flamegraph<Datum>(): Chart<Datum>;
}

declare module 'd3-selection' {
  export type Selection = {
    datum(data: unknown): Selection;
    datum(): unknown;
    filter(isKept: () => boolean): Selection;
    append(name: string): Selection;
  };
  export function select(element: Element): Selection;
  /** The constructor whose prototype all selections inherit from. */
  export const selection: { readonly prototype: Selection };
}
