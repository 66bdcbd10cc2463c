// The judge, with the arguments and exit codes of Kattis' output validators: instance, judge's answer, feedback folder; the
// answer on standard input. 42 accepts, 43 rejects; score.txt has the weighted delay.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

int main(int, char** words) {
    std::ifstream instance(words[1]);
    std::string feedback = words[3];
    auto reject = [&](const std::string& why) {
        std::ofstream(feedback + "judgemessage.txt") << why << "\n";
        return 43;
    };
    int count = 0;
    instance >> count;
    std::vector<long> length(count), weight(count), due(count);
    for (int job = 0; job < count; ++job) instance >> length[job] >> weight[job] >> due[job];
    std::vector<bool> done(count);
    long time = 0, sum = 0;
    for (int place = 0; place < count; ++place) {
        int job = -1;
        if (!(std::cin >> job)) return reject("the order ends after " + std::to_string(place) + " jobs");
        if (job < 0 || job >= count) return reject("there is no job " + std::to_string(job));
        if (done[job]) return reject("job " + std::to_string(job) + " is done twice");
        done[job] = true;
        time += length[job];
        sum += weight[job] * std::max(0L, time - due[job]);
    }
    std::string more;
    if (std::cin >> more) return reject("more than the order is printed: " + more);
    std::ofstream(feedback + "score.txt") << sum << "\n";
    return 42;
}
