// What GLSL has for f32 alone. Both are within a few units in the last place.
#include "include/pair.glsl"

// 2 to the power of an exponent from -1022 to 1023, exactly.
double double_power_of_two(int exponent) { return packDouble2x32(uvec2(0u, uint(exponent + 1023) << 20)); }

// Of a number from -746 to 710.
double double_exp(double x) {
    double k = floor(x * 1.4426950408889634lf + 0.5lf);
    // ln 2 in two parts, of which the first has so few digits that its product is exact.
    precise double rest = (x - k * 6.93147180369123816490e-01lf) - k * 1.90821492927058770002e-10lf;
    // The series of e^rest, which is at most 0.35.
    double sum = 1.0lf;
    for (int n = 14; n >= 1; --n) sum = 1.0lf + sum * rest / double(n);
    // In two steps, as a result may be subnormal and 2^k then is not.
    int whole = int(k);
    int part = whole / 2;
    return sum * double_power_of_two(part) * double_power_of_two(whole - part);
}

// Of a positive number that is finite.
double double_log(double x) {
    uvec2 bits = unpackDouble2x32(x);
    int exponent = int(bits.y >> 20) - 1023;
    if (exponent == -1023) {
        // Subnormal: the highest bit goes where it is left out.
        uint shift = 53u - pair_length(bits);
        bits = pair_left(bits, shift);
        exponent = -1022 - int(shift);
    }
    double m = packDouble2x32(uvec2(bits.x, (bits.y & 0xfffffu) | 0x3ff00000u));
    if (m > 1.4142135623730951lf) {
        m *= 0.5lf;
        exponent += 1;
    }
    // ln m = 2 (s + s^3 / 3 + s^5 / 5 + …), where s is at most 0.172.
    double f = m - 1.0lf;
    double s = f / (2.0lf + f);
    double square = s * s;
    double sum = 0.0lf;
    for (int n = 23; n >= 3; n -= 2) sum = (sum + 1.0lf / double(n)) * square;
    double k = double(exponent);
    // f less its square's half and so on: s alone would lose the last digits near 1.
    double half_square = 0.5lf * f * f;
    double small = s * (half_square + 2.0lf * sum);
    return k * 6.93147180369123816490e-01lf - ((half_square - (small + k * 1.90821492927058770002e-10lf)) - f);
}
