/** A set of strings by 64-bit fingerprints in open addressing: 8 bytes each, at most half full. */
export class Fingerprints {
  size = 0;
  private bits: number;
  private mask = 0;
  private low = new Uint32Array(0);
  private high = new Uint32Array(0);

  constructor(bits = 20) {
    this.bits = bits;
    this.allocate();
  }

  /** False when the string was there. */
  add(text: string): boolean {
    let a = 0x811c9dc5;
    let b = 0x9e3779b9;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 0x01000193);
      b = Math.imul(b ^ code, 0x85ebca6b);
      b ^= b >>> 13;
    }
    a = Math.imul(a ^ (a >>> 15), 0x2c1b3c6d) ^ b;
    b = Math.imul(b ^ (b >>> 16), 0x297a2d39) ^ (a >>> 7);
    // A high half of 0 marks a free place.
    return this.insert(a >>> 0, b >>> 0 || 1);
  }

  private allocate(): void {
    const places = 1 << this.bits;
    this.size = 0;
    this.mask = places - 1;
    this.low = new Uint32Array(places);
    this.high = new Uint32Array(places);
  }

  private insert(a: number, b: number): boolean {
    let at = a & this.mask;
    while (this.high[at] !== 0) {
      if (this.low[at] === a && this.high[at] === b) return false;
      at = (at + 1) & this.mask;
    }
    this.low[at] = a;
    this.high[at] = b;
    if (++this.size * 2 > this.mask) this.grow();
    return true;
  }

  private grow(): void {
    const { low, high } = this;
    this.bits++;
    this.allocate();
    for (let i = 0; i < low.length; i++) if (high[i]) this.insert(low[i]!, high[i]!);
  }
}
