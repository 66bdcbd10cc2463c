// Puts ikeru's fields to puyoai's simulator, line by line (README.md says how to build it). It tells the number of steps alone
// (asked=steps), and its 13th row does not connect, so it takes fields of 6x12.
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "core/bit_field.h"
#include "core/plain_field.h"

// The fields of a file; `skip` says why they are none of puyoai's.
static std::vector<BitField> read(const std::string &file, std::string &skip) {
    std::ifstream text(file);
    std::vector<BitField> fields;
    std::vector<std::string> rows;
    bool fits = false;
    const auto end = [&] {
        if (!fits) skip = "takes fields of 6x12 only";
        PlainField field;
        for (size_t row = 0; fits && row < rows.size(); row++)
            for (int x = 0; x < 6; x++) {
                const size_t kind = std::string("ORBYG").find(rows[row][x]);
                const PuyoColor colours[] = {PuyoColor::OJAMA, PuyoColor::RED, PuyoColor::BLUE, PuyoColor::YELLOW, PuyoColor::GREEN};
                if (kind < 5) field.setColor(x + 1, static_cast<int>(rows.size() - row), colours[kind]);
                else if (rows[row][x] != '.') skip = "knows the first four colours only";
            }
        fields.emplace_back(field);
        rows.clear();
        fits = false;
    };
    for (std::string line; std::getline(text, line);) {
        if (line == "---") end();
        else if (line.rfind("board: ", 0) == 0) fits = line == "board: 6x12";
        else rows.push_back(line);
    }
    end();
    return fields;
}

int main() {
    std::vector<BitField> fields;
    long repeat = 1;
    for (std::string line; std::getline(std::cin, line);) {
        const auto after = [&](const std::string &key) {
            const size_t at = line.find("\"" + key + "\":");
            return at == std::string::npos ? std::string() : line.substr(at + key.size() + 3);
        };
        const std::string instance = after("instance");
        if (!instance.empty()) {
            std::string skip;
            fields = read(instance.substr(1, instance.find('"', 1) - 1), skip);
            repeat = std::stol(after("repeat"));
            if (after("asked").rfind("\"steps\"", 0) != 0) skip = "answers asked=steps only";
            std::cout << (skip.empty() ? "{\"ready\":true}" : "{\"skip\":\"" + skip + "\"}") << std::endl;
            continue;
        }
        std::string answers;
        for (const BitField &field : fields) {
            int steps = 0;
            for (long i = 0; i < repeat; i++) {
                BitField copy = field;
                RensaNonTracker tracker;
                steps = copy.simulateFastAVX2(&tracker);
            }
            answers += (answers.empty() ? "{\"chains\":" : ",{\"chains\":") + std::to_string(steps) + "}";
        }
        std::cout << "{\"answer\":{\"fields\":[" << answers << "]}}" << std::endl;
    }
}
